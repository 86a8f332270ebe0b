import AuthModel
import CommandTestSupport
import Testing

@testable import AuthClient

@Suite struct DeleteAccountsTests {
    @Test func `a bulk deletion deletes only the accounts recorded as created in the journal`() throws {
        let fixture = try BulkFixture()
        fixture.server.add("ci-2")
        fixture.server.add("other")
        try fixture.create()
        // Replace the account `ci-3` with a different account of the same name.
        fixture.server.remove("ci-3")
        fixture.server.add("ci-3")
        try fixture.delete()
        #expect(
            fixture.results.lines.suffix(2) == [
                "1 deleted", "3 failed: this account is not the one that was created: its id or username differs",
            ])
        #expect(fixture.server.accounts.keys.sorted() == ["ci-2", "ci-3", "other"])
    }

    @Test func `a bulk deletion can be repeated, and the deleted accounts can be created again`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2)
        fixture.server.remove("ci-1")
        try fixture.delete()
        try fixture.delete()
        #expect(fixture.results.lines.suffix(2) == ["1 skipped", "2 deleted"])
        try fixture.create(2)
        #expect(fixture.results.lines.suffix(2) == ["1 created", "2 created"])
        #expect(try fixture.passwords().count == 2)
    }

    @Test func `after a lost response, a bulk deletion logs in to check whether the account still exists`() throws {
        let lost = AuthError(.outcomeUnknown, "the server did not respond")
        let server = AccountServer { request, earlier in
            switch (request, earlier) {
            case ("delete ci-1", 0): .after(lost)
            case ("delete ci-2", 0): .before(lost)
            default: nil
            }
        }
        let fixture = try BulkFixture(server)
        try fixture.create(2)
        try fixture.delete(.passwords(try fixture.passwords()))
        #expect(fixture.results.lines.suffix(2) == ["1 deleted", "2 deleted"])
        #expect(server.accounts == [:])
    }

    @Test func `after a lost response, a bulk deletion repeats the request only once`() throws {
        let lost = AuthError(.outcomeUnknown, "the server did not respond")
        let server = AccountServer { request, _ in request == "delete ci-1" ? .before(lost) : nil }
        let fixture = try BulkFixture(server)
        try fixture.create(2)
        try fixture.delete(.passwords(try fixture.passwords()))
        #expect(fixture.results.lines.suffix(2) == ["1 unknown: the server did not respond", "2 deleted"])
    }

    @Test func `a bulk deletion keeps an account whose password is unknown`() throws {
        let fixture = try BulkFixture()
        try fixture.create(2)
        var passwords = try fixture.passwords()
        passwords["ci-1"] = nil
        try fixture.delete(.passwords(passwords))
        #expect(
            fixture.results.lines.suffix(2) == [
                "1 failed: the credentials file has no password for the account", "2 deleted",
            ])
    }

    @Test func `a bulk login writes the token of each successful login and rejects an existing token file`() throws {
        let fixture = try BulkFixture()
        fixture.server.add("ada", password: "p")
        fixture.server.add("eve", password: "p")
        try fixture.logIn("username,password\nada,p\neve,wrong\nbob\n")
        #expect(
            fixture.results.lines == [
                "1 logged-in", "2 failed: wrong username or password",
                "3 failed: the row has 1 values, but the header has 2",
            ])
        #expect(
            try fixture.folder.read("tokens")
                == #"{"username":"ada","token":"token-ada","expiresAt":"2027-01-02T03:04:05Z"}"# + "\n")
        #expect(try failure { try fixture.logIn("username,password\nada,p\n") }.reason == .usage)
    }
}
