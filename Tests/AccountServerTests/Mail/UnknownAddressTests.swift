import JSON
import Testing
import Transport

@testable import AccountServer

/// Responses tell nothing about an address or a name. `Tests/serve-times` compares the times of logins.
@Suite struct UnknownAddressTests {
    private let mail = MemoryMail()
    private let routes: ParseRoutes

    init() throws {
        let folder = try TestFolder()
        var settings = ServerSettings(
            database: folder.database(), baseURL: "local:/parse", applicationID: "test-app", mail: mail,
            clock: .fixed(TestServer.start), passwordCost: .minimum)
        settings.throttle = .standard
        routes = try ParseRoutes(serving: settings)
        for (name, email) in [("ada", "ada@example.com"), ("bob", "bob@example.com")] {
            _ = try routes.run(.test(.post, "/users", #"{"username":"\#(name)","password":"pw","email":"\#(email)"}"#))
        }
        try routes.database.run("UPDATE users SET email_verified = 1 WHERE username = 'bob'")
    }

    @Test(arguments: ["/requestPasswordReset", "/verificationEmailRequest"])
    func `a request for an e-mail gets the same response for a known and an unknown address`(path: String) throws {
        func response(_ address: String) throws -> HTTPResponse {
            try routes.run(.test(.post, path, #"{"email":"\#(address)"}"#)).answer.response
        }
        let known = try response("ada@example.com")
        #expect(known.status == 200 && String(decoding: known.body, as: UTF8.self) == "{}")
        #expect(try response("eve@example.com") == known)
        #expect(mail.all.map(\.recipient) == ["ada@example.com"])
    }

    @Test func `a request for a verification e-mail gets the same response for a verified address`() throws {
        func response(_ address: String) throws -> HTTPResponse {
            try routes.run(.test(.post, "/verificationEmailRequest", #"{"email":"\#(address)"}"#)).answer.response
        }
        #expect(try response("ada@example.com") == response("bob@example.com"))
        #expect(mail.all.map(\.recipient) == ["ada@example.com"])
    }

    @Test(arguments: ["/login", "/verifyPassword"])
    func `an unknown name takes the same steps as a wrong password`(path: String) throws {
        func steps(_ name: String) throws -> (response: HTTPResponse, hashes: Int, changedRows: Int64) {
            let changes = try changedRows()
            let (answer, hashes) = try routes.run(
                .test(.post, path, #"{"username":"\#(name)","password":"wrong"}"#))
            return (answer.response, hashes, try changedRows() - changes)
        }
        #expect(try steps("ada").hashes == 1)
        // The last one finds the account locked.
        for _ in 1...6 { #expect(try steps("eve") == steps("bob")) }
    }

    private func changedRows() throws -> Int64 {
        try routes.database.row("SELECT total_changes()", []) { $0.integer(0) } ?? 0
    }
}
