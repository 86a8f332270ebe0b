import Foundation
import TestSupport

/// Firebase in production, behind a proxy that leads to a fake of Google's services.
@Suite(.mostlyWaits, .keepsInvariants) struct ServiceAccountTests {
    private static let account = "ci@demo-shop.iam.gserviceaccount.com"
    private static let user = #""localId":"u1","email":"ada@example.org","emailVerified":true"#
    private static let signer =
        "/v1/projects/-/serviceAccounts/ci%40demo-shop.iam.gserviceaccount.com:signJwt"

    private static func part(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
    }

    /// Source: Google Cloud, "Method: serviceAccounts.signJwt"; Firebase, "Create custom tokens".
    @Test func `a login as a test user of production is signed by a service account, or names the role to grant`()
        throws
    {
        let claims = Self.part(#"{"aud":"demo-shop","sub":"u1","exp":4000000000}"#)
        let token = "\(Self.part(#"{"alg":"RS256"}"#)).\(claims).c2ln"
        let words = "Permission 'iam.serviceAccounts.signJwt' denied"
        let denied = #"{"error":{"code":403,"message":"\#(words)","status":"PERMISSION_DENIED"}}"#
        let service = try ScriptedServer([
            .init(["CONNECT": [[.send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(1)]]]),
            .init(
                [
                    "/v1/projects/demo-shop/accounts:batchGet": [.json(#"{"users":[{\#(Self.user)}]}"#)],
                    "/v1/projects/demo-shop/accounts:lookup": [.json(#"{"users":[{\#(Self.user)}]}"#)],
                    Self.signer: [
                        .json(#"{"keyId":"k","signedJwt":"a.b.c"}"#),
                        .answer("403 Forbidden", ["Content-Type: application/json"], denied),
                    ],
                    "/v1/accounts:signInWithCustomToken": [
                        .json(#"{"idToken":"\#(token)","refreshToken":"r1","expiresIn":"3600"}"#)
                    ],
                    "/v1/accounts:lookup": [.json(#"{"users":[{\#(Self.user)}]}"#)],
                ], certificate: TestAuthority.path("google")),
        ])
        let world = Sandbox()
        world.set("HTTPS_PROXY", to: service.url(""))
        world.set("AUTHCTL_CA_CERT", to: TestAuthority.file)
        for (name, text) in [("web.txt", "AIzaSy1"), ("token.txt", "ya29.token")] {
            try world.write("\(text)\n", to: "\(world.home)/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(world.home)/\(name)")
        }
        func run(_ words: String...) throws -> Finished { try world.start(words, folder: world.home).wait() }
        let connection = ["--backend", "firebase", "--app-id", "demo-shop", "--client-key-file", "web.txt"]
        let added = try world.start(["profile", "add", "fire"] + connection, folder: world.home).wait()
        try #require(added.exitCode == 0, "\(added.everything)")
        let logIn = ["login", "--impersonate", "ada@example.org", "--admin-key-file", "token.txt", "--json"]
        let unset = try world.start(logIn, folder: world.home).wait().refusal(2, "usage")
        #expect(unset.string("hint")?.contains("profile set fire serviceAccount") == true)
        try expect(run("profile", "set", "fire", "serviceAccount", Self.account).exitCode, 0)
        let login = try world.start(logIn, folder: world.home).wait()
        try expect(login.document().object("user").string("email"), "ada@example.org", "\(login.everything)")
        try expect(run("token").stdout, "\(token)\n")
        let signing = service.requests.first { $0.target == Self.signer }
        #expect(signing?.fields.contains("Authorization: Bearer ya29.token") == true)
        let error = try world.start(logIn, folder: world.home).wait().refusal(5, "forbidden")
        #expect(error.string("hint")?.contains("roles/iam.serviceAccountTokenCreator") == true)
        try expect(run("token").stdout, "\(token)\n")
    }
}
