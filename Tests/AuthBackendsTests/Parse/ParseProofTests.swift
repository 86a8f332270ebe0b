import CommandTestSupport

@testable import AuthBackends

/// The provider's member of `authData`, for each kind of proof.
///
/// Sources: `src/Adapters/Auth` in Parse Server 7.4, and `BaseCodeAuthAdapter.js` in version 8.
@Suite struct ParseProofTests {
    private static let token = Secret("e.y.J")

    @Test(arguments: [
        (IdentityProvider.google, "7" as String?, IdentityProof.idToken(token), #"{"id":"7","id_token":"e.y.J"}"#),
        (.apple, "7", .idToken(token), #"{"id":"7","token":"e.y.J"}"#),
        (.facebook, "7", .idToken(token), #"{"id":"7","token":"e.y.J"}"#),
        (.github, "7", .accessToken(token), #"{"id":7,"access_token":"e.y.J"}"#),
        (.github, nil, .code(token, redirectURI: nil), #"{"code":"e.y.J"}"#),
        (.microsoft, nil, .code(token, redirectURI: "app://x"), #"{"code":"e.y.J","redirect_uri":"app://x"}"#),
        (
            .google, "7", .tokens(idToken: token, accessToken: Secret("ya29")),
            #"{"id":"7","id_token":"e.y.J","access_token":"ya29"}"#
        ),
        (IdentityProvider("my-ldap")!, nil, .authData(Secret(#"{"id":"7","p":1}"#)), #"{"id":"7","p":1}"#),
    ])
    func `a Parse login sends an identity proof in the members that the provider's adapter expects`(
        provider: IdentityProvider, id: String?, proof: IdentityProof, authData: String
    ) throws {
        let request = """
            POST https://a.example/parse/users
            X-Parse-Application-Id: app
            Content-Type: application/json
            X-Parse-Revocable-Session: 1

            {"authData":{"\(provider.name)":\(authData)}}
            """
        let user =
            #"{"objectId":"1","username":"x7","sessionToken":"r:abc","#
            + #""authData":{"\#(provider.name)":{"id":"7","access_token":"secret"}}}"#
        let backend = ParseBackend.replaying(Exchange(request, 200, user))
        let logIn = try backend.logIn(IdentityCredential(provider, id: id, proof)).value.session()
        expect(logIn.user.identities, [Identity(provider: provider.name, id: "7")])
    }

    @Test(arguments: [
        (IdentityProvider.google, IdentityProof.idToken(token), true, AuthError.Reason.usage, "no id"),
        (.apple, .accessToken(token), true, .unsupported, "Apple without an ID token"),
        (.google, .idToken(token), false, .unsupported, "local accounts"),
        (.facebook, .code(token, redirectURI: nil), false, .unsupported, "local accounts, a code"),
    ])
    func `an identity proof that the server does not accept is rejected before any request`(
        provider: IdentityProvider, proof: IdentityProof, isHost: Bool, reason: AuthError.Reason, situation: String
    ) throws {
        let backend = ParseBackend.replaying(isEmbedded: !isHost)
        let error = try failure { _ = try backend.logIn(IdentityCredential(provider, proof)) }
        expect(error.reason, reason)
        error.expectMessage(in: "backends/parse", situation)
    }

    @Test func `a Parse link with an OAuth code requests the id of the linked identity from the server`() throws {
        let request = """
            PUT https://a.example/parse/users/g7%2Fy
            X-Parse-Application-Id: app
            X-Parse-Session-Token: r:abc
            Content-Type: application/json

            {"authData":{"github":{"code":"e.y.J"}}}
            """
        let linked = #"{"objectId":"g7/y","authData":{"anonymous":{"id":"s3cret"},"github":{"id":7}}}"#
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, ParseIdentityTests.unlinked), Exchange(request, 200, "{}"),
            Exchange(Exchange.currentUserRequest, 200, linked))
        let change = try backend.link(IdentityCredential(.github, .code(Self.token, redirectURI: nil)), to: .abc).value
        expect(change.after, .linked(id: "7"))
        // Anyone who has the id of an anonymous identity can log in with it, so the id is a secret.
        #expect(
            change.user.identities == [
                Identity(provider: "anonymous", id: nil), Identity(provider: "github", id: "7"),
            ])
    }
}
