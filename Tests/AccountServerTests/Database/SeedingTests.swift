import Expectations
import JSON
import Platform
import Transport

@testable import AccountServer

@Suite struct SeedingTests {
    private let routes: ParseRoutes

    init() throws {
        routes = try Self.routes(on: nil)
    }

    private static func routes(on file: FileLocation?) throws -> ParseRoutes {
        let settings = ServerSettings(
            database: file, baseURL: "local:/parse", applicationID: "test-app", passwordCost: .minimum)
        return try ParseRoutes(serving: settings)
    }

    private func logIn(_ username: String) throws -> Answer {
        let body: JSONValue = ["username": .string(username), "password": "correct horse"]
        return try routes.run(.test(.post, "/login", body.text)).answer
    }

    private static func account(_ username: String, id: String? = nil, _ more: JSONObject = [:]) -> SeedAccount {
        var body: JSONObject = ["username": .string(username), "password": "correct horse"]
        for member in more.members { body[member.name] = member.value }
        return SeedAccount(id: id, body: body)
    }

    @Test func `a seeded account can log in and has the id and fields of the seed`() throws {
        try routes.create([
            Self.account("ada", id: "abc1", ["email": "ada@example.org", "age": 7]), Self.account("bob"),
            Self.account("eve"),
        ])
        let ada = try logIn("ada")
        #expect(ada.id == "abc1" && ada.json?["age"] == 7 && ada.json?["email"] == "ada@example.org")
        #expect(try logIn("bob").status == 200 && logIn("eve").status == 200)
    }

    @Test func `a seeded account has the emailVerified and the identities of the seed`() throws {
        let identities: JSONValue = ["google": ["id": "7"]]
        try routes.create([
            Self.account("ada", ["email": "ada@example.org", "emailVerified": true, "authData": identities]),
            Self.account("bob"),
        ])
        let ada = try logIn("ada")
        expect(ada.json?["emailVerified"], true)
        expect(ada.json?["authData"]?["google"]?["id"], "7")
        let bob = try logIn("bob")
        #expect(bob.status == 200 && bob.json?["emailVerified"] == nil && bob.json?["authData"] == nil)
    }

    @Test func `a seeded account with an identity needs no username and no password`() throws {
        try routes.create([
            SeedAccount(id: "abc1", body: ["authData": ["anonymous": ["id": "d1"]]]),
            SeedAccount(id: nil, body: ["username": "bob", "authData": ["apple": ["id": "1"]]]),
        ])
        let body: JSONValue = ["authData": ["anonymous": ["id": "d1"]]]
        let answer = try routes.run(.test(.post, "/users", body.text)).answer
        #expect(answer.status == 200 && answer.id == "abc1")
        try expect(logIn("bob").status, 404)
    }

    @Test func `a seeded account can have a password hash of another server in place of a password`() throws {
        let hash = try #require(PasswordHash.derive("correct horse", cost: .minimum))
        try routes.create([SeedAccount(id: "abc1", body: ["username": "ada"], passwordHash: hash)])
        let ada = try logIn("ada")
        #expect(ada.id == "abc1" && ada.status == 200)
        let costs = [("m=8", "m=131073"), ("t=1", "t=11"), ("p=1", "p=2"), ("v=19", "v=20"), ("id$", "i$")]
        let others = costs.map { hash.replacing($0.0, with: $0.1) } + ["$argon2id$v=19$m=8,t=1,p=1$c2FsdA$a2V5", "x"]
        for hash in others {
            #expect(throws: SeedingError.self) {
                try routes.create([SeedAccount(id: nil, body: ["username": "bob"], passwordHash: hash)])
            }
        }
    }

    @Test(
        arguments: [
            ("ADA", nil, [:], "username"), ("bob", nil, ["email": "ADA@example.org"], "email"),
            ("bob", "abc1", [:], "id"), ("bob", nil, ["authData": ["google": ["id": "7"]]], "identity"),
        ] as [(String, String?, JSONObject, String)])
    func `seeding creates no account if a username, e-mail address, id or identity is taken`(
        name: String, id: String?, more: JSONObject, field: String
    ) throws {
        try routes.create([
            Self.account("ada", id: "abc1", ["email": "ada@example.org", "authData": ["google": ["id": 7]]])
        ])
        let error = #expect(throws: SeedingError.self) {
            try routes.create([Self.account("new"), Self.account(name, id: id, more)])
        }
        guard case .taken(1, field) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try expect(logIn("new").status, 404)
    }

    @Test(
        arguments: [
            ["a b": 1], ["authData": ["google": ["id": ""]]], ["authData": ["A B": ["id": "1"]]],
            ["age": ["__op": "No"]],
        ] as [JSONObject])
    func `seeding creates no account if one of the accounts is invalid`(fields: JSONObject) throws {
        let error = #expect(throws: SeedingError.self) {
            try routes.create([Self.account("new"), Self.account("ada", fields)])
        }
        guard case .refused(1, let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!text.isEmpty)
        try expect(logIn("new").status, 404)
    }

    @Test func `seeded accounts in a database file survive a restart`() throws {
        let folder = TestFolder()
        try Self.routes(on: folder.database()).create([Self.account("ada")])
        let error = #expect(throws: SeedingError.self) {
            try Self.routes(on: folder.database()).create([Self.account("ada")])
        }
        guard case .taken(0, "username") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `two in-memory databases have separate accounts`() throws {
        try routes.create([Self.account("ada")])
        try Self.routes(on: nil).create([Self.account("ada")])
    }
}
