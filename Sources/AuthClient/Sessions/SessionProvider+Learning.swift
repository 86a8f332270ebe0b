package import AuthModel

extension SessionProvider {
    /// Learns the word that the site expects before a token from the environment, as a login does. A wrong word makes
    /// the request one of a guest, so the server's answer to it would tell nothing about the token.
    ///
    /// - Throws: the error of the request; `tokenRefused` if the site rejects the token with every word that it names.
    package func learnWord(of active: inout ActiveSession) throws(AuthError) {
        guard lacksWord(active) else { return }
        let (token, backend) = (active.session.presentedToken, try backends.connect())
        let new = try backends.call("checking the token") { () throws(BackendError) in
            try backend.logIn(token: token).value
        }
        active.session.scheme = new.session.scheme
        active.user = new.user
    }

    /// Whether the site expects another word than the one that it has just rejected.
    func learnsWord(of active: inout ActiveSession) -> Bool {
        // `try?`: the error of the rejected request is reported.
        try? learnWord(of: &active)
        return active.source == .environment && active.session.scheme != nil
    }

    /// Whether the site may expect another word than the usual one, and no login has learned it.
    func lacksWord(_ active: ActiveSession) -> Bool {
        let (key, backend) = (BackendSetting.tokenScheme.key, settings.backend.value)
        return active.source == .environment && active.session.scheme == nil
            && backend.settings.keyed(key) != nil && settings.serverSettings[key] == nil
            // `try?`: a backend that cannot be created sends no request.
            && (try? backends.headers(of: active.session))?.scheme != nil
    }
}
