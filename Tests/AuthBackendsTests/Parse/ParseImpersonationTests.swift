import CommandTestSupport

@testable import AuthBackends

/// Logins and user lists with the master key. The responses come from Parse Server 4.10 to 9.5. Three of them are in
/// `Exchanges`: `keys.wrong-master`, `loginas.no-master` and `schemas.nomaster`.
@Suite struct ParseImpersonationTests {
    static let key = Secret("m4ster")

    static func find(_ answer: String, _ status: Int = 200) -> Exchange {
        let filter = #"{"$or":[{"username":"ad\"a"},{"email":"ad\"a"}]}"#
        return ParseAdminTests.admin("GET users?where=", where: filter, (status, answer))
    }

    static let roles = ParseAdminTests.admin(
        "GET roles?where=", where: #"{"users":{"__type":"Pointer","className":"_User","objectId":"1"}}"#,
        and: "&order=objectId&count=1&skip=0", ParseAdminTests.none)

    static func logIn(_ body: String, _ status: Int, _ answer: String) -> Exchange {
        Exchange(
            """
            POST https://a.example/parse/loginAs
            X-Parse-Application-Id: app
            X-Parse-Master-Key: m4ster
            Content-Type: application/json

            \(body)
            """, status, answer)
    }

    static let found = find(#"{"results":[{"objectId":"1","username":"ad\"a"}]}"#)

    @Test func `a login with the master key looks up the user by exact username and sends the user's id`() throws {
        let answer = #"{"objectId":"1","username":"ad\"a","sessionToken":"r:abc"}"#
        let backend = ParseBackend.replaying(Self.found, Self.roles, Self.logIn(#"{"userId":"1"}"#, 200, answer))
        let new = try backend.logIn(as: "ad\"a", adminKey: Self.key).value
        expect(new, NewSession(user: User(id: "1", username: "ad\"a"), session: .abc))
    }

    /// With a valid client key, the server would ignore a wrong master key instead of rejecting it.
    @Test func `a request with the master key carries no client key`() {
        let endpoints = ParseEndpoints(base: "https://a.example", appID: "app", clientKey: Secret("rest"))
        expect(endpoints.users(named: "ada", Self.key).request.headers["X-Parse-REST-API-Key"], nil)
        expect(endpoints.logIn(asUser: "1", Self.key).request.headers["X-Parse-REST-API-Key"], nil)
    }

    static let rejections: [(situation: String, exchanges: [Exchange], reason: AuthError.Reason)] = [
        ("a wrong key, or an address not in masterKeyIps", [find(#"{"error":"unauthorized"}"#, 403)], .badAppKey),
        (
            "a wrong key on a server without client keys",
            [found, roles, logIn(#"{"userId":"1"}"#, 400, #"{"code":119,"error":"Permission denied"}"#)], .badAppKey
        ),
        ("an unknown username", [find(#"{"results":[]}"#)], .notFound),
        (
            "a user deleted meanwhile",
            [found, roles, logIn(#"{"userId":"1"}"#, 404, #"{"code":101,"error":"user not found"}"#)], .notFound
        ),
        (
            "a server before version 5",
            [found, roles, logIn(#"{"userId":"1"}"#, 404, "<pre>Cannot POST /parse/loginAs</pre>")], .unsupported
        ),
        ("a page instead of the user", [find("<html>", 404)], .wrongEndpoint),
        (
            "no session in the response",
            [found, roles, logIn(#"{"userId":"1"}"#, 200, #"{"objectId":"1","username":"ad\"a"}"#)], .invalidResponse
        ),
    ]

    @Test(arguments: rejections)
    func `a rejected login with the master key reports whether the key, username or server is wrong`(
        situation: String, exchanges: [Exchange], reason: AuthError.Reason
    ) throws {
        let backend = ParseBackend.replaying(exchanges)
        let error = try failure { _ = try backend.logIn(as: "ad\"a", adminKey: Self.key) }
        expect(error.reason, reason)
        error.expectMessage(in: "backends/parse", situation)
    }

    @Test func `a list of Parse users is read page by page`() throws {
        let users = Exchange(
            """
            GET https://a.example/parse/users?order=objectId&limit=9
            X-Parse-Application-Id: app
            X-Parse-Master-Key: m4ster
            """, 200, #"{"results":[{"objectId":"1","username":"ada"}]}"#)
        let backend = ParseBackend.replaying(users)
        try expect(backend.users(after: nil, limit: 9, adminKey: Self.key).users.map(\.username), ["ada"])
        let next = Exchange(
            """
            GET https://a.example/parse/users?where=%7B%22objectId%22%3A%7B%22%24gt%22%3A%221%22%7D%7D&order=objectId&limit=9
            X-Parse-Application-Id: app
            X-Parse-Master-Key: m4ster
            """, 200, #"{"results":[]}"#)
        #expect(try ParseBackend.replaying(next).users(after: "1", limit: 9, adminKey: Self.key).users.isEmpty)
    }

    @Test func `only the list of classes proves a master key`() throws {
        let answers =
            [
                (ParseAdminTests.recorded("admin.schemas"), nil), ((200, "{}"), .invalidResponse),
                ((404, "<h1>Not Found</h1>"), .wrongEndpoint), ((503, ""), .serverFault),
                (ParseAdminTests.recorded("schemas.nomaster"), .badAppKey),
                ((403, #"{"code":108,"error":"authctl serve has no master key"}"#), .unsupported),
            ] as [((Int, String), AuthError.Reason?)]
        for (answer, reason) in answers {
            let backend = ParseBackend.replaying(ParseAdminTests.admin("GET schemas", answer))
            var found: AuthError?
            do throws(BackendError) { try backend.check(adminKey: Self.key) } catch { found = error.shown }
            expect(found?.reason, reason)
            if reason == .badAppKey { found?.expectMessage(in: "backends/parse") }
        }
    }

    private static func user(_ method: String, _ status: Int, _ answer: String) -> Exchange {
        Exchange(
            """
            \(method) https://a.example/parse/users/1
            X-Parse-Application-Id: app
            X-Parse-Master-Key: m4ster
            """, status, answer)
    }

    @Test func `the master key finds and deletes a user by id`() throws {
        let backend = ParseBackend.replaying(
            Self.user("GET", 200, #"{"objectId":"1","username":"ada"}"#), Self.roles, Self.user("DELETE", 200, "{}"),
            Self.user("GET", 404, #"{"code":101,"error":"Object not found."}"#))
        var ada = User(id: "1", username: "ada")
        ada.roles = []
        try expect(backend.user(id: "1", adminKey: Self.key), ada)
        try backend.deleteUser(id: "1", adminKey: Self.key)
        try expect(failure { _ = try backend.user(id: "1", adminKey: Self.key) }.reason, .notFound)
    }

    @Test func `the classes of a Parse server are lists, and some have paths of their own`() throws {
        let recorded = ParseBackend.replaying(
            ParseAdminTests.admin("GET schemas", ParseAdminTests.recorded("admin.schemas")))
        let lists = try #require(try recorded.describedLists(adminKey: Self.key))
        expect(lists.map(\.path), ["/roles", "/users", "/sessions"])
        let own = ParseBackend.replaying(
            ParseAdminTests.admin(
                "GET schemas", (200, #"{"results":[{"className":"Note"},{"className":"_Installation"}]}"#)))
        let list = try #require(try own.describedLists(adminKey: Self.key))
        expect(list.map(\.path), ["/classes/Note", "/classes/_Installation"])
        expect(list[0].ids(in: ["objectId": "x", "id": "y"]).map { list[0].path(ofItem: $0) }, "/classes/Note/x")
    }
}
