extension Route {
    /// The first match wins: `me` must precede `:id`.
    static let table: [Route] = [
        Route(.get, "/serverInfo", ParseRoutes.refuseWithoutMasterKey),
        Route(.get, "/schemas", ParseRoutes.refuseWithoutMasterKey),
        Route(.get, "/config", ParseRoutes.configuration),
        Route(.post, "/loginAs", ParseRoutes.logInAs),

        Route(.post, "/users", ParseRoutes.signUp),
        Route(.get, "/users", ParseRoutes.listUsers),
        Route(.get, "/users/me", ParseRoutes.currentUser),
        Route(.get, "/users/:id", ParseRoutes.user),
        Route(.put, "/users/:id", ParseRoutes.updateUser),
        Route(.delete, "/users/:id", ParseRoutes.deleteUser),

        Route(.get, "/login", ParseRoutes.logIn, token: .checkedWithQuery),
        Route(.post, "/login", ParseRoutes.logIn, token: .checkedWithQuery),
        Route(.post, "/logout", ParseRoutes.logOut),
        Route(.get, "/verifyPassword", ParseRoutes.verifyPassword),
        Route(.post, "/verifyPassword", ParseRoutes.verifyPassword),

        Route(.get, "/sessions", ParseRoutes.listSessions),
        Route(.post, "/sessions", ParseRoutes.createSession),
        // `ignored`, because this route has its own error messages.
        Route(.get, "/sessions/me", ParseRoutes.currentSession, token: .ignored),
        Route(.get, "/sessions/:id", ParseRoutes.session),
        Route(.put, "/sessions/:id", ParseRoutes.updateSession),
        Route(.delete, "/sessions/:id", ParseRoutes.deleteSession),

        Route(.post, "/requestPasswordReset", ParseRoutes.requestPasswordReset),
        Route(.post, "/verificationEmailRequest", ParseRoutes.requestVerification),
        Route(.get, "/apps/:app/verify_email", ParseRoutes.verifyEmailPage, token: .page),
        Route(.get, "/apps/:app/request_password_reset", ParseRoutes.choosePasswordPage, token: .page),
        Route(.post, "/apps/:app/request_password_reset", ParseRoutes.resetPassword, token: .page),
    ]
}
