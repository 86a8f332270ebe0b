import CommandTestSupport
import Platform

@testable import AuthBackends

extension PocketBaseBackendTests {
    private static let key = Secret("r00t")
    private static let record = "PATCH \(users)/records/u1"
    private static let missing = PocketBaseSample.error(404, "The requested resource wasn't found.")

    /// Source: the exchanges `admin/update-email` and `admin/update-password`; for `tokenKey`, a run of 0.23.12 and 0.40.6.
    @Test func `a superuser changes all of an account with one request, and ends its sessions by a random key`() throws
    {
        var change = AccountChange { ($0.emailVerified, $0.endsSessions) = (false, true) }
        change.user = UserChange(email: "b@c", fields: ["city": "Rome"], unset: ["name"])
        change.user.password = Secret("long enough")
        let answer = Answer(Self.record, #"{"id":"u1","email":"b@c","verified":false,"city":"Rome"}"#)
        let bodies = try run(answer, answer) { backend throws in
            for _ in 1...2 {
                let user = try backend.update(change, of: User(id: "u1"), adminKey: Self.key)
                #expect(user.email == "b@c" && user.emailVerified == false && user.fields == ["city": "Rome"])
            }
        }
        #expect(bodies[0] != bodies[1])
        let sent = bodies[0].replacing(/[0-9a-f]{50}/, with: "KEY")
        let fields = #""city":"Rome","email":"b@c","name":null,"verified":false,"tokenKey":"KEY""#
        expect(sent, #"{\#(fields),"password":"long enough","passwordConfirm":"long enough"}"#)
    }

    /// The server treats a wrong token like none.
    @Test(arguments: [
        (PocketBaseSample.error(400, "No.", "email", "validation_not_unique"), 400, AuthError.Reason.emailTaken, nil),
        (PocketBaseSample.error(400, "No.", "password", "validation_min_text_constraint"), 400, .weakPassword, nil),
        (missing, 404, .badAppKey, Answer("GET /api/collections", 401, PocketBaseSample.unauthorized)),
        (missing, 404, .notFound, Answer("GET /api/collections", #"{"items":[]}"#)),
        (PocketBaseSample.error(404, "Missing or invalid collection context."), 404, .wrongEndpoint, nil),
    ])
    func `a refused change of an account has its reason`(
        body: String, status: Int, reason: AuthError.Reason, check: Answer?
    ) throws {
        try run([Answer(Self.record, status, body), check].compactMap(\.self)) { backend throws in
            let change = AccountChange { $0.emailVerified = true }
            let error = try failure {
                try backend.administering(with: Self.key) { () throws(BackendError) in
                    _ = try backend.update(change, of: User(id: "u1"), adminKey: Self.key)
                }
            }
            expect(error.reason, reason)
        }
    }

    @Test(arguments: [(nil, "true"), (false, "false"), (true, "true")])
    func `an account that a superuser creates is verified unless its state says otherwise`(
        state: Bool?, sent: String
    ) throws {
        var account = NewAccount(username: nil, email: "a@b", password: Secret("p"), fields: ["verified": "mine"])
        (account.state.emailVerified, account.id) = (state, "abcdefghijklmno")
        let answer = Answer("POST \(Self.users)/records", #"{"id":"abcdefghijklmno"}"#)
        let bodies = try run(answer, answer) { backend throws in
            _ = try backend.createUser(account, adminKey: Self.key)
            _ = try backend.signUp(account)
        }
        let rest = #""email":"a@b","password":"p","passwordConfirm":"p"}"#
        let id = #""id":"abcdefghijklmno""#
        expect(bodies, [#"{"verified":\#(sent),\#(id),\#(rest)"#, "{\(id),\(rest)"])
    }

    /// Source: the exchanges `stock/collection…`.
    @Test func `a superuser finds accounts by each name, and learns the collection's fields once`() throws {
        let description = #"""
            {"fields":[{"name":"tokenKey","system":true},{"name":"city","type":"text"},{"name":"username","type":"text"},
            {"name":"avatar","type":"file"},{"name":"created","type":"autodate"}],"passwordAuth":{"identityFields":["nick"]}}
            """#
        let rows = #"{"items":[{"id":"u1","username":"ada"},{"id":"u2","nick":"ada"},{"id":"u3","city":"ada"}]}"#
        let read = "GET \(Self.users)"
        try run(Answer(read, description), Answer("\(read)/records", rows)) { backend throws in
            try expect(backend.fieldNames(adminKey: Self.key), ["city", "username"])
            try expect(backend.users(named: "ada", adminKey: Self.key).map(\.id), ["u1", "u2"])
        }
        try run(Answer(read, 404, Self.missing)) { backend throws in
            let error = try failure { _ = try backend.users(named: "ada", adminKey: Self.key) }
            #expect(error.reason == .wrongEndpoint && error.message.contains("no such collection"))
        }
    }

    /// Source: the exchanges `admin/list-bad-key` and `admin/delete-bad-key`.
    @Test func `an ended token is told from a missing account, which an empty list or a 404 seems to show`() throws {
        let check = Answer("GET /api/collections", 401, PocketBaseSample.unauthorized)
        let description = Answer("GET \(Self.users)", #"{"fields":[],"passwordAuth":{"identityFields":["email"]}}"#)
        let missing = Answer("GET \(Self.users)/records/u1", 404, Self.missing)
        try run(description, Answer("GET \(Self.users)/records", #"{"items":[]}"#), check, missing, check) {
            backend throws in
            for name in ["a@b", "id:u1"] {
                let error = try failure {
                    _ = try backend.administering(with: Self.key) { () throws(BackendError) in
                        try backend.user(named: name, adminKey: Self.key)
                    }
                }
                expect(error.reason, .badAppKey)
            }
        }
    }

    @Test func `the records of each collection are a list, whatever the number of collections`() throws {
        func page(_ names: [String]) -> Answer {
            let items = names.map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
            return Answer("GET /api/collections", #"{"items":[\#(items)]}"#)
        }
        let all = (0..<500).map { "c\($0)" }
        try run(page(all), page(["a b"])) { backend throws in
            let lists = try #require(try backend.describedLists(adminKey: Self.key))
            let list = try #require(lists.last)
            #expect(lists.count == 501 && list.path == "/api/collections/a%20b/records")
            #expect(list.ids(in: ["id": "x"]).map { list.path(ofItem: $0) } == "/api/collections/a%20b/records/x")
        }
        try run(page(all), page(all)) { backend throws in
            try expect(failure { _ = try backend.describedLists(adminKey: Self.key) }.reason, .invalidResponse)
        }
    }
}
