extension Route {
    /// The first match wins: `me` must precede `:id`.
    static let table: [Route] =
        [
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

            Route(.get, "/installations", ParseRoutes.listInstallations),
            Route(.post, "/installations", ParseRoutes.createInstallation),
            Route(.get, "/installations/:id", ParseRoutes.installation),
            Route(.put, "/installations/:id", ParseRoutes.updateInstallation),
            Route(.delete, "/installations/:id", ParseRoutes.deleteInstallation),

            Route(.post, "/batch", ParseRoutes.batch),
            Route(.post, "/functions/:name", ParseRoutes.refuseFunction),
            Route(.post, "/events/:name", ParseRoutes.discardEvent),
            Route(.get, "/roles", ParseRoutes.listRoles),

            Route(.post, "/requestPasswordReset", ParseRoutes.requestPasswordReset),
            Route(.post, "/verificationEmailRequest", ParseRoutes.requestVerification),
            Route(.get, "/apps/:app/verify_email", ParseRoutes.verifyEmailPage, token: .page),
            Route(.get, "/apps/:app/request_password_reset", ParseRoutes.choosePasswordPage, token: .page),
            Route(.post, "/apps/:app/request_password_reset", ParseRoutes.resetPassword, token: .page),
        ] + classRoutes

    /// The routes of objects of any class, which SDKs use for users, sessions and installations, too.
    private static let classRoutes: [Route] = [
        Route(.get, "/classes/_User", ParseRoutes.listUsers),
        Route(.post, "/classes/_User", ParseRoutes.signUp),
        Route(.get, "/classes/_User/:id", ParseRoutes.user),
        Route(.put, "/classes/_User/:id", ParseRoutes.updateUser),
        Route(.delete, "/classes/_User/:id", ParseRoutes.deleteUser),

        Route(.get, "/classes/_Session", ParseRoutes.listSessions),
        Route(.post, "/classes/_Session", ParseRoutes.createSession),
        Route(.get, "/classes/_Session/:id", ParseRoutes.session),
        Route(.put, "/classes/_Session/:id", ParseRoutes.updateSession),
        Route(.delete, "/classes/_Session/:id", ParseRoutes.deleteSession),

        Route(.get, "/classes/_Installation", ParseRoutes.listInstallations),
        Route(.post, "/classes/_Installation", ParseRoutes.createInstallation),
        Route(.get, "/classes/_Installation/:id", ParseRoutes.installation),
        Route(.put, "/classes/_Installation/:id", ParseRoutes.updateInstallation),
        Route(.delete, "/classes/_Installation/:id", ParseRoutes.deleteInstallation),

        Route(.get, "/classes/_Role", ParseRoutes.listRoles),
        Route(.get, "/classes/:class", ParseRoutes.refuseClass),
        Route(.post, "/classes/:class", ParseRoutes.refuseClass),
        Route(.get, "/classes/:class/:id", ParseRoutes.refuseClass),
        Route(.put, "/classes/:class/:id", ParseRoutes.refuseClass),
        Route(.delete, "/classes/:class/:id", ParseRoutes.refuseClass),
    ]
}
