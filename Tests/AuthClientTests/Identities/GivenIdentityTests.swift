import AuthClient
import CommandTestSupport
import Platform

/// Identities whose proof the user supplies. The client checks an ID token before sending it to the server.
@Suite struct GivenIdentityTests {
    private static let google = IdentityProvider.google
    private static let linked = Step.link(
        .success(IdentityChange(before: .none, after: .linked(id: "7"), user: .ada)))

    private func link(
        _ proof: IdentityProof, id: String? = nil, provider: IdentityProvider = google, at kind: String = "rest-auth"
    ) throws -> ClientFixture {
        let fixture = ClientFixture.loggedIn(to: kind, Self.linked)
        _ = try Link(fixture.client).run(IdentityCredential(provider, id: id, proof))
        return fixture
    }

    /// A JWT with the header `{"alg":"none"}` and without a signature.
    private func jwt(_ claims: String) -> String {
        let payload = Array(claims.utf8).base64Encoded.filter { $0 != "=" }
        return "eyJhbGciOiJub25lIn0.\(String(payload.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))."
    }

    @Test(arguments: [
        (#"{"sub":"7"}"#, "7"), (#"{"sub":7,"aud":"app"}"#, "7"), (#"{"sub":"7","exp":1790000000}"#, "7"),
        (#"{"id":"7"}"#, "7"),
    ])
    func `the id of an identity comes from the sub or id claim of its ID token`(claims: String, id: String) throws {
        // authctl requires `sub` in a JWT, so only claims with `sub` are also sent as a JWT.
        for token in [claims] + (claims.contains("sub") ? [jwt(claims)] : []) {
            let fixture = try link(.idToken(Secret(token)))
            let call = "link google \(id) ID token \(token)"
            #expect(fixture.requests.contains("\(call) \(Exchange.adaToken)"))
            #expect(fixture.notices.isEmpty)
        }
    }

    @Test(arguments: ["EAAB", "a.b.c", "..", "[]", "7", #"{"sub":""}"#, #"{"sub":"7\u00e9"}"#, #"{"sub":["7"]}"#])
    func `an ID token that is neither a JWT nor a JSON object, or has no valid user id, is a usage error`(
        text: String
    ) throws {
        let fixture = ClientFixture(stored: .ada)
        let source = IdentityCredential(Self.google, .idToken(Secret(text)))
        let error = try failure { _ = try Link(fixture.client).run(source) }
        error.expectMessage(in: "use-cases/link", text.hasPrefix("{") ? "no user" : "not a JWT")
        expect(fixture.requests, [])
    }

    @Test func `an ID token for a user other than --identity-id is a usage error before any request`() throws {
        let fixture = ClientFixture(stored: .ada)
        let source = IdentityCredential(Self.google, id: "8", .idToken(Secret(#"{"sub":"7"}"#)))
        try failure { try Link(fixture.client).run(source) }.expectMessage(in: "use-cases/link")
        expect(fixture.requests, [])
    }

    @Test func `an expired ID token is sent with a warning`() throws {
        let fixture = try link(.idToken(Secret(jwt(#"{"sub":"7","exp":1700000000}"#))))
        expect(fixture.requests.first?.hasPrefix("link google 7 ID token"), true)
        fixture.expectNotices(in: "use-cases/link")
    }

    @Test func `a Google access token without an ID token is sent to a rest-auth site with a warning`() throws {
        let alone = IdentityProof.accessToken(Secret("ya29"))
        let fixture = try link(alone, id: "7")
        #expect(fixture.notices.contains("warning: "))
        fixture.expectNotices(in: "use-cases/link")
        try expect(link(alone, id: "7", at: "parse").notices, "")
        let both = IdentityProof.tokens(idToken: Secret(#"{"sub":"7"}"#), accessToken: Secret("ya29"))
        try expect(link(both).notices, "")
        try expect(link(.accessToken(Secret("gho")), provider: .github).notices, "")
    }

    @Test func `linking an identity of another account suggests a login with the same options`() throws {
        let taken = AuthError(.identityTaken, "the identity belongs to another account")
        let proofs: [IdentityProof] = [
            .idToken(Secret(#"{"sub":"7"}"#)), .accessToken(Secret("ya29")),
            .code(Secret("c0de"), redirectURI: nil), .authData(Secret("{}")),
        ]
        let lines = try proofs.map { proof in
            let fixture = ClientFixture(.link(.failure(taken)), stored: .ada)
            let source = IdentityCredential(.github, id: "7", clientID: "app", proof)
            return try failure { try Link(fixture.client).run(source) }.snapshotLine
        }
        MessageFile("use-cases/link").expect(lines.joined(separator: "\n"))
    }

    @Test(arguments: [("myAuth", "myAuth"), ("GitHub", "github"), ("OIDC-2_x", "OIDC-2_x")])
    func `a provider name is spelled as the server spells it, except for the known providers`(
        name: String, provider: String
    ) {
        expect(IdentityProvider(name)?.name, provider)
    }

    @Test(arguments: ["", "a/b", "a b", "ä", String(repeating: "a", count: 65)])
    func `a provider name with an invalid character or length is rejected`(name: String) {
        expect(IdentityProvider(name), nil)
    }
}
