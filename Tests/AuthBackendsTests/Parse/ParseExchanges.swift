import CommandTestSupport

@testable import AuthBackends

extension ParseBackend {
    /// A backend that must send exactly the expected requests.
    static func replaying(
        isEmbedded: Bool = false, _ exchanges: Exchange...
    ) -> ParseBackend {
        replaying(isEmbedded: isEmbedded, exchanges)
    }

    static func replaying(isEmbedded: Bool = false, _ exchanges: [Exchange]) -> ParseBackend {
        let transport = ReplayingTransport()
        for exchange in exchanges { transport.expect(exchange) }
        return replaying(through: transport, isEmbedded: isEmbedded)
    }

    static func replaying(through transport: ReplayingTransport, isEmbedded: Bool = false) -> ParseBackend {
        ParseBackend(
            endpoints: ParseEndpoints(base: "https://a.example/parse", appID: "app"),
            server: .replaying(transport, base: "https://a.example/parse"), isEmbedded: isEmbedded)
    }
}

extension Exchange {
    static let currentUserRequest = """
        GET https://a.example/parse/users/me
        X-Parse-Application-Id: app
        X-Parse-Session-Token: r:abc
        """

    static let logInRequest = """
        POST https://a.example/parse/login
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"username":"ada","password":"pässword\\""}
        """

    static let signUpRequest = """
        POST https://a.example/parse/users
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"username":"ada","password":"pässword\\""}
        """

    static let logOutRequest = """
        POST https://a.example/parse/logout
        X-Parse-Application-Id: app
        X-Parse-Session-Token: r:abc
        Content-Type: application/json

        {}
        """

    static let currentSessionRequest = """
        GET https://a.example/parse/sessions/me
        X-Parse-Application-Id: app
        X-Parse-Session-Token: r:abc
        """
}

extension Session {
    static let abc = Session(token: Secret("r:abc"))
}

extension Credentials {
    static let ada = Credentials(login: "ada", password: Secret("pässword\""))
}

extension NewAccount {
    static let ada = NewAccount(username: "ada", password: Secret("pässword\""))
}
