import CommandTestSupport

@testable import AuthBackends

/// Linking and unlinking on sites that list the identities of a user: rest-auth and allauth.
@Suite struct IdentityListTests {
    private static func identity(_ id: String?) -> IdentityCredential {
        IdentityCredential(.facebook, id: id, .accessToken(Secret("fb-token")))
    }

    private static func restAuthList(_ ids: [String]) -> Exchange {
        let rows = ids.map { #"{"id":\#($0),"provider":"facebook","uid":"\#($0)"}"# }
        return RestAuthIdentityTests.list("[\(rows.joined(separator: ","))]")
    }

    /// Links an identity on a rest-auth and on an allauth site. Both sites first list the ids `before`, then `after`.
    private static func links(_ id: String?, before: [String], after: [String]) throws -> [IdentityChange] {
        let restAuth = RestAuthBackend.replaying(
            .keyUser, restAuthList(before),
            .post("facebook/connect/", RestAuthIdentityTests.tokenBody, as: "Token 0a1b", 200, RestAuthSample.key),
            restAuthList(after))
        let allauth = AllauthBackend.replaying(
            .allauthProviders(before), .allauthSite, .allauthConnect(200, AllauthSample.done(token: nil)),
            .allauthProviders(after))
        return [try restAuth.link(identity(id), to: .key).value, try allauth.link(identity(id), to: .allauthOld).value]
    }

    @Test(
        arguments: [
            (nil, [], ["1001"], [], ["1001"]), (nil, ["1001"], ["1001"], ["1001"], ["1001"]),
            (nil, ["1001"], ["1002", "1001"], ["1001"], ["1002", "1001"]),
            (nil, ["1001"], ["1001", "1002"], ["1001"], ["1002", "1001"]),
            ("1001", ["1002", "1001"], ["1002", "1001"], ["1001", "1002"], ["1001", "1002"]),
            ("1002", ["1001", "1002"], ["1001", "1002"], ["1002", "1001"], ["1002", "1001"]),
            (nil, ["1002", "1001"], ["1002", "1001"], ["1002", "1001"], ["1002", "1001"]),
        ] as [(String?, [String], [String], [String], [String])])
    func `a link reports the old and new identities, and lists the linked identity first if its id is known`(
        id: String?, before: [String], after: [String], shownBefore: [String], shownAfter: [String]
    ) throws {
        for change in try Self.links(id, before: before, after: after) {
            expect(change.before, (shownBefore.isEmpty ? .none : .linked(ids: shownBefore)))
            expect(change.after, .linked(ids: shownAfter))
            expect(change.hasChanged, (before.count != after.count))
            expect(change.replacedID, nil)
        }
    }

    @Test func `an unlink without a linked identity changes nothing`() throws {
        let restAuth = RestAuthBackend.replaying(.keyUser, Self.restAuthList([]))
        try expect(restAuth.unlink(.facebook, from: .key).value.hasChanged, false)
        let allauth = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, AllauthSample.done(token: nil)), .allauthProviders([]))
        try expect(allauth.unlink(.facebook, from: .allauthOld).value.hasChanged, false)
    }
}
