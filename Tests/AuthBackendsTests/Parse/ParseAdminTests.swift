import CommandTestSupport
import Platform

@testable import AuthBackends

/// Changes of accounts with the master key. The requests are those of the recorded exchanges `role.*`, `admin.*` and
/// `signup.master-key`; the responses are recorded unless a test says otherwise.
@Suite struct ParseAdminTests {
    static let key = Secret("m4ster")
    static let id = "oTHFGnXWDx"
    static let pointer = #"{"__type":"Pointer","className":"_User","objectId":"\#(id)"}"#
    static let none = (200, #"{"results":[]}"#)
    static let unknown = (404, #"{"code":101,"error":"Object not found."}"#)

    /// - Parameters:
    ///   - line: the method, the path, and a condition in JSON if the path ends with `where=`.
    ///   - rest: the rest of the query.
    static func admin(
        _ line: String, where filter: String = "", and rest: String = "", body: String? = nil, _ answer: (Int, String)
    ) -> Exchange {
        let words = line.split(separator: " ", maxSplits: 1)
        var text = """
            \(words[0]) https://a.example/parse/\(words[1])\(filter.percentEncoded)\(rest)
            X-Parse-Application-Id: app
            X-Parse-Master-Key: m4ster
            """
        if body != nil { text += "\nContent-Type: application/json" }
        if line == "POST users" { text += "\nX-Parse-Revocable-Session: 1" }
        return Exchange(text + (body.map { "\n\n\($0)" } ?? ""), answer.0, answer.1)
    }

    static func recorded(_ name: String) -> (Int, String) {
        // `try!`: without the recorded exchanges, no test can run.
        let answer = try! RecordedAnswer.all(of: .parse).first { $0.name == name }!
        return (answer.response.status, String(decoding: answer.response.body, as: UTF8.self))
    }

    static func findRoles(_ names: String, _ answer: (Int, String) = recorded("role.find")) -> Exchange {
        admin(
            "GET roles?where=", where: #"{"name":{"$in":[\#(names)]}}"#, and: "&order=objectId&count=1&skip=0", answer)
    }

    static func change(_ body: String, _ answer: (Int, String) = recorded("role.add-user")) -> Exchange {
        admin("PUT users/\(id)", body: body, answer)
    }

    static func changeRole(
        _ operation: String, _ answer: (Int, String) = recorded("role.add-user")
    ) -> Exchange {
        let body = #"{"users":{"__op":"\#(operation)","objects":[\#(pointer)]}}"#
        return admin("PUT roles/xJtDGB8MhA", body: body, answer)
    }

    static func sessions(_ answer: (Int, String)) -> Exchange {
        admin("GET sessions?where=", where: #"{"user":\#(pointer)}"#, and: "&excludeKeys=sessionToken", answer)
    }

    static func rolesOfUser(_ answer: (Int, String) = recorded("role.find"), skip: Int = 0) -> Exchange {
        admin("GET roles?where=", where: #"{"users":\#(pointer)}"#, and: "&order=objectId&count=1&skip=\(skip)", answer)
    }

    static let read = admin("GET users/\(id)", recorded("admin.user-get"))

    static func change(_ adjust: (inout AccountChange) -> Void) -> AccountChange {
        var change = AccountChange()
        adjust(&change)
        return change
    }

    private func update(_ change: AccountChange, _ exchanges: [Exchange]) throws -> User {
        try ParseBackend.replaying(exchanges).update(change, of: User(id: Self.id), adminKey: Self.key)
    }

    @Test func `the master key changes fields, names, state, roles and sessions, then reads the account`() throws {
        let change = Self.change {
            $0.user = UserChange(email: "rolea2@example.org", fields: ["plan": "gold"], unset: ["old"])
            $0.user.password = Secret("Other-pw-12345")
            $0.emailVerified = true
            $0.addedRoles = ["shop-admin"]
            $0.endsSessions = true
        }
        let fields =
            #"{"plan":"gold","email":"rolea2@example.org","old":{"__op":"Delete"},"password":"Other-pw-12345"}"#
        let exchanges = [
            Self.findRoles(#""shop-admin""#), Self.change(fields), Self.change(#"{"emailVerified":true}"#),
            Self.changeRole("AddRelation"), Self.sessions(Self.recorded("admin.sessions-of-user")),
            Self.admin("DELETE sessions/ZrMLtr6AIC", Self.recorded("admin.session-delete")), Self.sessions(Self.none),
            Self.read, Self.rolesOfUser(),
        ]
        let user = try update(change, exchanges)
        expect(user.roles, ["shop-admin"])
        expect(user.fields["plan"], "gold")
        expect(change.missing(in: user).parts, [.password, .sessions, .verified], "the recording is not verified")
    }

    static let parts: [(change: AccountChange, exchanges: [Exchange])] = [
        (
            change { ($0.user.email, $0.emailVerified) = ("a@example.org", false) },
            [change(#"{"email":"a@example.org","emailVerified":false}"#)]
        ),
        (
            change { $0.removedRoles = ["shop-admin"] },
            [findRoles(#""shop-admin""#), changeRole("RemoveRelation")]
        ),
        // The session has ended meanwhile.
        (
            change { $0.endsSessions = true },
            [sessions((200, #"{"results":[{"objectId":"s"}]}"#)), admin("DELETE sessions/s", unknown), sessions(none)]
        ),
    ]

    @Test(arguments: parts)
    func `a change of one part sends no request for the others`(change: AccountChange, exchanges: [Exchange]) throws {
        _ = try update(change, exchanges + [Self.read, Self.rolesOfUser()])
    }

    static let failures: [(change: AccountChange, exchanges: [Exchange], reason: AuthError.Reason)] = [
        (change { $0.user.fields = ["objectId": "x"] }, [], .invalidFields),
        (change { $0.addedRoles = ["shop-admin", "nosuch"] }, [findRoles(#""shop-admin","nosuch""#)], .invalidFields),
        (change { $0.removedRoles = ["nosuch"] }, [findRoles(#""nosuch""#, none)], .invalidFields),
        (
            change { $0.addedRoles = ["shop-admin"] },
            [findRoles(#""shop-admin""#), changeRole("AddRelation", unknown)], .invalidFields
        ),
        (
            // A server accepts a user that was deleted meanwhile.
            change { $0.addedRoles = ["shop-admin"] },
            [findRoles(#""shop-admin""#), changeRole("AddRelation"), admin("GET users/\(id)", unknown)], .notFound
        ),
        (
            change { $0.user.email = "b@c" },
            [change(#"{"email":"b@c"}"#, (400, #"{"code":203,"error":"Account already exists."}"#))], .emailTaken
        ),
        (
            change { $0.user.password = Secret("p") },
            [change(#"{"password":"p"}"#, (400, #"{"code":142,"error":"Password does not meet …"}"#))], .weakPassword
        ),
        (
            change { $0.emailVerified = true },
            [change(#"{"emailVerified":true}"#, recorded("admin.user-unknown"))], .notFound
        ),
        (
            change { $0.emailVerified = true },
            [change(#"{"emailVerified":true}"#, (403, #"{"error":"unauthorized"}"#))], .badAppKey
        ),
        (change { $0.emailVerified = true }, [change(#"{"emailVerified":true}"#, (502, ""))], .outcomeUnknown),
        (
            change { $0.endsSessions = true },
            [
                sessions((200, #"{"results":[{"objectId":"s"}]}"#)), admin("DELETE sessions/s", unknown),
                sessions((200, #"{"results":[{"objectId":"s"}]}"#)),
            ], .invalidResponse
        ),
    ]

    @Test(arguments: failures)
    func `a failed change with the master key reports its reason`(
        change: AccountChange, exchanges: [Exchange], reason: AuthError.Reason
    ) throws {
        let error = try failure { _ = try update(change, exchanges) }
        expect(error.reason, reason)
    }

    @Test func `the roles of a user are read page by page, but not for several users with the same name`() throws {
        func page(_ name: String) -> (Int, String) {
            (200, #"{"results":[{"objectId":"\#(name)","name":"\#(name)"}],"count":2}"#)
        }
        func find(_ answer: (Int, String)) -> Exchange {
            Self.admin("GET users?where=", where: #"{"$or":[{"username":"a"},{"email":"a"}]}"#, answer)
        }
        let one = ParseBackend.replaying(
            find(Self.recorded("admin.user-find-by-email")), Self.rolesOfUser(page("a")),
            Self.rolesOfUser(page("b"), skip: 1))
        try expect(one.users(named: "a", adminKey: Self.key).map(\.roles), [["a", "b"]])
        let two = ParseBackend.replaying(find((200, #"{"results":[{"objectId":"1"},{"objectId":"2"}]}"#)))
        try expect(two.users(named: "a", adminKey: Self.key).map(\.roles), [nil, nil])
    }

    // MARK: - Roles of all accounts

    private static func allRoles(_ answer: (Int, String) = recorded("role.find")) -> Exchange {
        admin("GET roles?order=objectId&count=1&skip=0", answer)
    }

    private static func usersOfRole(
        _ answer: (Int, String), id: String = "xJtDGB8MhA", after last: String? = nil
    ) -> Exchange {
        let role = #"{"__type":"Pointer","className":"_Role","objectId":"\#(id)"}"#
        let more = last.map { #","objectId":{"$gt":"\#($0)"}"# } ?? ""
        return admin(
            "GET users?where=", where: #"{"$relatedTo":{"object":\#(role),"key":"users"}\#(more)}"#,
            and: "&keys=objectId&order=objectId&count=1&limit=1000", answer)
    }

    private static func rows(_ ids: String..., count: Int) -> (Int, String) {
        (200, #"{"results":[\#(ids.map { #"{"objectId":"\#($0)"}"# }.joined(separator: ","))],"count":\#(count)}"#)
    }

    private static let two = (
        200, #"{"results":[{"objectId":"r1","name":"admin"},{"objectId":"r2","name":"staff"}],"count":2}"#
    )

    @Test func `the roles of all accounts are read role by role, in pages`() throws {
        let recorded = ParseBackend.replaying(
            Self.allRoles(), Self.usersOfRole(Self.recorded("role.users")), Self.usersOfRole(Self.none, after: Self.id))
        try expect(recorded.roles(adminKey: Self.key), [Self.id: ["shop-admin"]])
        let pages = ParseBackend.replaying(
            Self.allRoles(Self.two), Self.usersOfRole(Self.rows("a", count: 2), id: "r1"),
            Self.usersOfRole(Self.rows("b", count: 1), id: "r1", after: "a"),
            Self.usersOfRole(Self.rows("b", count: 1), id: "r2"))
        try expect(pages.roles(adminKey: Self.key), ["a": ["admin"], "b": ["admin", "staff"]])
        try expect(ParseBackend.replaying(Self.allRoles(Self.none)).roles(adminKey: Self.key), [:])
        try expect(ParseBackend.replaying([]).roles(adminKey: nil), nil, "local accounts have no roles")
    }

    static let incomplete: [(exchanges: [Exchange], reason: AuthError.Reason)] = [
        ([allRoles((200, #"{"results":[],"count":1}"#))], .invalidResponse),
        ([allRoles(), usersOfRole(rows(count: 3))], .invalidResponse),
        (
            [allRoles(), usersOfRole(rows("a", count: 3)), usersOfRole(rows("a", count: 3), after: "a")],
            .invalidResponse
        ),
        ([allRoles((403, #"{"error":"unauthorized"}"#))], .badAppKey),
        ([allRoles((400, #"{"code":119,"error":"Permission denied"}"#))], .forbidden),
    ]

    @Test(arguments: incomplete)
    func `a list of roles or of their users that is not complete is an error`(
        exchanges: [Exchange], reason: AuthError.Reason
    ) throws {
        let error = try failure { _ = try ParseBackend.replaying(exchanges).roles(adminKey: Self.key) }
        expect(error.reason, reason)
    }

    // MARK: - New accounts

    /// - Parameter code: of an error.
    static func signUp(_ member: String = "", code: Int? = nil) -> Exchange {
        let error = code.map { (400, #"{"code":\#($0),"error":"User email is not verified."}"#) }
        return admin(
            "POST users", body: #"{"username":"rolea","password":"p"}"#,
            error ?? (201, #"{"objectId":"\#(id)"\#(member)}"#))
    }

    static let token = #","sessionToken":"r:abc""#
    static let verify = [
        change(#"{"emailVerified":true}"#),
        admin("GET users/\(id)", (200, recorded("admin.user-get").1.replacing("false", with: "true"))),
        rolesOfUser(none),
    ]
    static let findRole = findRoles(#""shop-admin""#)
    static let addRole = [changeRole("AddRelation"), read, rolesOfUser()]

    /// Source of the signups without a session: Parse Server, `createSessionTokenIfNeeded` and `execute` of `RestWrite`.
    static let creations: [(isVerified: Bool?, roles: [String], exchanges: [Exchange], result: String)] = [
        (false, [], [signUp(token)], "session of rolea"),
        (
            true, ["shop-admin"], [findRole, signUp(token), change(#"{"emailVerified":true}"#)] + addRole,
            "session of rolea, shop-admin"
        ),
        (nil, ["shop-admin"], [findRole, signUp()] + addRole, "rolea, shop-admin waits for the e-mail"),
        (true, [], [signUp()] + verify, "rolea"),
        (
            true, [],
            [
                signUp(code: 205),
                admin(
                    "GET users?where=", where: #"{"$or":[{"username":"rolea"},{"email":"rolea"}]}"#,
                    recorded("admin.user-find-by-email")), rolesOfUser(none),
            ] + verify, "rolea"
        ),
        (nil, ["nosuch"], [findRoles(#""nosuch""#, none)], "invalid-fields: there is no role 'nosuch'"),
        (
            nil, ["shop-admin"], [findRole, signUp(token), changeRole("AddRelation", unknown)],
            "outcome-unknown: the account was created, but not completed: there is no role 'shop-admin'"
        ),
    ]

    @Test(arguments: creations)
    func `the master key creates an account and completes it; an unknown role creates none`(
        isVerified: Bool?, roles: [String], exchanges: [Exchange], result: String
    ) {
        var account = NewAccount(username: "rolea", password: Secret("p"))
        (account.state.emailVerified, account.state.roles) = (isVerified, roles)
        func names(_ user: User) -> String { ([user.username ?? ""] + (user.roles ?? [])).joined(separator: ", ") }
        var found = ""
        do throws(BackendError) {
            found =
                switch try ParseBackend.replaying(exchanges).createUser(account, adminKey: Self.key) {
                case .session(let new): "session of \(names(new.user))"
                case .waits(_, let user): "\(names(user)) waits for the e-mail"
                case .created(let user): names(user)
                }
        } catch {
            found = "\(error.reason.rawValue): \(error.message)"
        }
        expect(found, result)
    }
}
