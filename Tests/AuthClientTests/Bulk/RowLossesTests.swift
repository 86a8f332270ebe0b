import AuthModel
import Expectations
import JSON
import Platform

@testable import AuthClient

@Suite struct RowLossesTests {
    private typealias Outcome = (rows: [String], messages: [String])

    /// A server with usernames, which disables accounts for its administrator, and never has claims or roles.
    private static let named = server(.username, AccountKeeping([.username, .email], byAdministrator: .disabled))
    /// A server that knows accounts by their e-mail, and keeps usernames in the field `nick`.
    private static let mailed = server(
        .email, AccountKeeping([.email, .unverified], fields: ["nick"], ownMembers: ["owner"], usernameField: "nick"))

    private static func server(
        _ naming: BackendDescriptor.Naming, _ accounts: AccountKeeping, _ traits: BackendDescriptor.Traits = []
    ) -> BackendDescriptor {
        BackendDescriptor(kind: "site", traits.union(.takesServer), naming: naming, accounts: accounts)
    }

    private static func error(_ names: String...) -> String {
        let options = names.map { "--drop \($0.shellQuoted)" }.joined(separator: " ")
        return "the server cannot keep \(names.quotedList(atMost: 9)) (to accept that, add \(options))"
    }

    /// Reads rows with a password for each, and returns the columns of those that can be sent, or their errors.
    private func read(
        _ rows: [String], _ target: BackendDescriptor, drop: [String] = [], skipsDisabled: Bool = false,
        isAdministrator: Bool = false, isVerified: Bool? = nil, ids: (keeps: Bool, maps: Bool) = (false, false)
    ) throws -> Outcome {
        let text = rows.map { #"{"password":"correct horse",\#($0)}"# + "\n" }.joined()
        var source = AccountSource(ByteSource(bytes: Array(text.utf8)), name: "'u'", .creation(target))
        var choice = RowLosses.Choice()
        (choice.dropped, choice.skipsDisabled) = (drop, skipsDisabled)
        (choice.keepsIDs, choice.mapsIDs) = ids
        var outcome: Outcome = ([], [])
        let losses = try RowLosses(
            creatingOn: target, isAdministrator: isAdministrator, choice, isVerified: isVerified)
        try source.survey(
            losses, warn: { outcome.messages.append($0) }, note: { outcome.messages.append("note: \($0)") })
        while let item = try source.next(checksValues: false, generatesPasswords: false) {
            outcome.rows.append(item.error?.message ?? JSONValue.object(item.row.columns()).text)
        }
        return outcome
    }

    /// Of two rows without a password, one has a hash that the target takes.
    @Test func `a hash that the target cannot take becomes a new password if the passwords are written to a file`()
        throws
    {
        let target = BackendDescriptor(
            kind: "site", .takesServer, naming: .username,
            accounts: AccountKeeping(
                [.username, .passwordHash], hashes: [HashLimit(.bcrypt)]))
        let bcrypt = "$2y$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq"
        let rows = [("ada", bcrypt), ("bob", "pbkdf2_sha256$100$c2FsdA$aGFzaA=="), ("eve", "typo")]
        let text = rows.map { #"{"username":"\#($0)","passwordHash":"\#($1)","apiKey":"k"}"# + "\n" }.joined()
        var source = AccountSource(ByteSource(bytes: Array(text.utf8)), name: "'u'", .creation(target))
        var choice = RowLosses.Choice()
        (choice.generatesPasswords, choice.dropped) = (true, ["fields.apiKey"])
        var messages: [String] = []
        var strict = source
        #expect(throws: AuthError.self) {
            try strict.survey(RowLosses(creatingOn: target, choice), isStrict: true, warn: { _ in }, note: { _ in })
        }
        try source.survey(
            RowLosses(creatingOn: target, choice), warn: { messages.append($0) }, note: { messages.append($0) })
        expect(messages, ["new passwords for 1 row: the server does not take hashes of this kind"])
        var hashes: [Bool] = []
        while let item = try source.next(checksValues: false, generatesPasswords: true) {
            expect(item.error == nil, item.row.username != "eve")
            hashes.append(item.row.passwordHash != nil)
        }
        expect(hashes, [true, false, true])
    }

    @Test func `a value that the target cannot keep fails its row, and one warning has the options to paste`() throws {
        let rows = [
            #""email":"a@b.c","plan":"gold","a b":1,"phone":"+81""#, #""email":"b@b.c","plan":1"#,
            #""email":"c@b.c","plan":"","phone":"","roles":[],"claims":{},"disabled":false,"phoneVerified":false"#,
            #""email":"d@b.c","fields":{"owner":"x"},"nick":"d""#,
        ]
        let found = try read(rows, Self.mailed)
        #expect(
            found.messages == [
                "the server cannot keep all of 'u': fields.a b (1 row), fields.owner (1 row), fields.plan (2 rows), phone (1 row); to leave them out, add --drop 'fields.a b' --drop fields.owner --drop fields.plan --drop phone"
            ])
        #expect(
            found.rows == [
                Self.error("phone", "fields.plan", "fields.a b"), Self.error("fields.plan"),
                #"{"username":null,"email":"c@b.c","phoneVerified":false,"disabled":false}"#,
                Self.error("fields.owner"),
            ])
        let dropped = try read(
            rows, Self.mailed, drop: ["fields.a b", "fields.plan", "fields.owner", "phone", "fields.nick"])
        #expect(dropped.messages.isEmpty)
    }

    @Test func `a signup with one address names the option for the second, which the administrator sets`() throws {
        let target = Self.server(.email, AccountKeeping([.email, .phone], byAdministrator: .emailAndPhone))
        let rows = [#""email":"a@b.c","phone":"+81""#, #""phone":"+82""#]
        let error = try failure { _ = try read(rows, target) }
        expect(error.nextSteps, ["add --admin-key-file FILE", "or leave them out: add --drop phone"])
        try expect(read(rows, target, isAdministrator: true).rows.count, 2)
        try expect(read([rows[0]], target, drop: ["phone"]).rows, [#"{"username":null,"email":"a@b.c"}"#])
    }

    @Test func `a lost state says what the loss does, and --skip leaves out disabled accounts`() throws {
        let rows = [
            #""email":"a@b.c","emailVerified":true,"claims":{"a":1},"roles":["r"]"#,
            #""email":"b@b.c","disabled":true"#,
            #""email":"c@b.c","emailVerified":false"#,
        ]
        let found = try read(rows, Self.mailed)
        #expect(
            found.messages == [
                "1 account of 'u' would not be disabled: their users could log in; to accept that, add --drop disabled; to leave out these rows, add --skip disabled",
                "the server would decide whether the e-mails of 1 account of 'u' are verified; to accept that, add --drop emailVerified",
                "1 account of 'u' would lose their claims, and the rights that depend on them; to accept that, add --drop claims",
                "1 account of 'u' would lose their roles, and the rights that depend on them; to accept that, add --drop roles",
            ])
        expect(found.rows.last, #"{"username":null,"email":"c@b.c","emailVerified":false}"#)
        let skipped = try read(rows, Self.mailed, drop: ["emailVerified", "claims", "roles"], skipsDisabled: true)
        expect(skipped.messages, ["note: left out 1 row of disabled accounts"])
        expect(skipped.rows, ["a", "c"].map { #"{"username":null,"email":"\#($0)@b.c"}"# })
    }

    @Test func `a claim that only the server sets fails its row, and generated accounts at once`() throws {
        let target = Self.server(
            .email, AccountKeeping([.email], byAdministrator: .claims, reservedClaims: ["sub"]))
        let rows = [#""email":"a@b.c","claims":{"a":1,"sub":"x"}"#, #""email":"b@b.c","claims":{"a":1}"#]
        let fault = "have the name 'sub', which is reserved for the server"
        let found = try read(rows, target, isAdministrator: true).rows
        expect(
            found, ["the claims \(fault)", #"{"username":null,"email":"b@b.c","claims":{"a":1}}"#])
        let losses = try RowLosses(creatingOn: target, isAdministrator: true, RowLosses.Choice(), isVerified: nil)
        var state = AccountState()
        state.claims = ["sub": .null]
        let error = try failure { try losses.require(state, fields: []) }
        expect(error.fields, [FieldFault("claims", fault)])
    }

    @Test func `a value that lacks only the administrator's key ends the run before its first request`() throws {
        let row = [#""username":"ada","disabled":true"#]
        let error = try failure { try read(row, Self.named) }
        #expect(error.reason == .usage && error.message == "only the administrator can set 'disabled' of 'u'")
        expect(error.nextSteps, ["add --admin-key-file FILE", "or leave them out: add --drop disabled"])
        try expect(read(row, Self.named, drop: ["disabled"]).rows, [#"{"username":"ada","email":null}"#])
        let kept = try read(row, Self.named, isAdministrator: true).rows
        expect(kept, [#"{"username":"ada","email":null,"disabled":true}"#])
        try expect(
            failure { try read(row, Self.named, drop: ["plan"]) }.nextSteps, ["for a field, use --drop fields.plan"])
    }

    @Test(
        arguments: [
            (named, #""email":"a@b.c","phone":"+81""#, #"{"username":"a@b.c","email":"a@b.c"}"#, "phone"),
            (named, #""phone":"+81""#, #"{"username":"+81","email":null}"#, nil),
            (mailed, #""username":"ada","email":"a@b.c""#, #"{"username":null,"email":"a@b.c","nick":"ada"}"#, nil),
            (
                mailed, #""username":"a","email":"a@b.c","nick":"x""#, #"{"username":null,"email":"a@b.c","nick":"x"}"#,
                "username"
            ),
            (mailed, #""username":"a@b.c""#, #"{"username":null,"email":"a@b.c"}"#, nil),
            (mailed, #""username":"ada""#, "the e-mail is missing", nil),
            (
                server(.usernameOrEmail, AccountKeeping()), #""phone":"+82""#,
                "the username is missing, the e-mail is missing", nil
            ),
            (
                server(.usernameOrEmail, AccountKeeping()), #""username":"ada","email":"a@b.c""#,
                #"{"username":"ada","email":"a@b.c"}"#, nil
            ),
        ] as [(BackendDescriptor, String, String, String?)])
    func `a row gets the name by which the target knows accounts`(
        target: BackendDescriptor, row: String, columns: String, lost: String?
    ) throws {
        if let lost {
            try expect(read([row], target).rows, [Self.error(lost)])
        }
        let found = try read([row], target, drop: [lost].compactMap(\.self))
        expect(found.rows, [columns])
        // The option is for the rows of a file, and the phone number may be the name of another one.
        if row == #""phone":"+81""# { try expect(read([row], target, drop: ["phone"]).rows, [columns]) }
        let isRenamed = target.naming == .username || columns.contains("ada") && target.naming == .email
        expect(found.messages.count { $0.hasPrefix("note: the username of 1 row") }, isRenamed ? 1 : 0)
    }

    @Test func `--verified decides for rows without the column, and contradicts a row that says false`() throws {
        let target = Self.server(.email, AccountKeeping([.email, .verified, .unverified]))
        let rows = [#""email":"a@b.c""#, #""email":"b@b.c","emailVerified":false"#]
        func states(_ drop: [String], _ isVerified: Bool?) throws -> [Bool] {
            try read(rows, target, drop: drop, isVerified: isVerified).rows.map { $0.contains(":true") }
        }
        let error = try failure { try read(rows, target, isVerified: true) }
        #expect(error.reason == .usage && error.nextSteps == ["to ignore that column, add --drop emailVerified"])
        try expect(states(["emailVerified"], true), [true, true])
        try expect(states([], false), [false, false])
    }

    @Test func `identities and ids of another server are left out without a loss`() throws {
        let row = #""id":"1","email":"a@b.c","identities":[{"provider":"google","id":"7"}]"#
        let found = try read([row], Self.mailed)
        expect(found.rows, [#"{"username":null,"email":"a@b.c"}"#])
        let note = "note: the server gives new ids to 1 row; to write old and new ids to a file, add --ids FILE"
        expect(found.messages, [note, "note: the identities of 1 row are left out"])
        try expect(
            read([row], Self.mailed, ids: (false, true)).messages, ["note: the identities of 1 row are left out"])
        try expect(read([row], Self.mailed, drop: ["id", "identities"]).messages, [])
    }

    @Test func `an account without a password is for servers that create one`() {
        var row = AccountRow(number: 1)
        #expect(!row.parts.contains { $0.part == .noPassword })
        row.isWithoutPassword = true
        #expect(row.parts.contains { $0.part == .noPassword })
    }

    /// A server whose administrator gives new accounts ids of three digits.
    private static let numbered = server(
        .username,
        AccountKeeping([.username], byAdministrator: .id, ids: IDForm("have 3 digits", 3...3, of: "0123456789")))

    @Test func `the administrator keeps the ids of rows that fit, and other rows fail before they are sent`() throws {
        let rows = ["123", "12", "", "1/3", "123"].enumerated().map { #""id":"\#($1)","username":"u\#($0)""# }
        let fault = "the id must have 3 digits (to get another one, replace --keep-ids with --ids FILE)"
        let kept = try read(rows + [#""username":"u5""#], Self.numbered, isAdministrator: true, ids: (true, false))
        let names = [#"{"id":"123","username":"u0","email":null}"#, #"{"username":"u5","email":null}"#]
        expect(kept.rows, [names[0], fault, fault, fault, "the id is the same as in row 1 (line 1)", names[1]])
        expect(kept.messages, [])
        // Without the option, every row gets a new id, even if the administrator creates the accounts.
        let new = try read(rows, Self.numbered, isAdministrator: true)
        expect(new.rows, (0...4).map { #"{"username":"u\#($0)","email":null}"# })
        // Two accounts with one old id would be one account for the tables of an app.
        let mapped = try read(rows, Self.numbered, isAdministrator: true, ids: (false, true))
        expect(mapped.rows, new.rows.dropLast() + ["the id is the same as in row 1 (line 1)"])
    }

    @Test func `only the administrator keeps ids, where the server takes them`() throws {
        func reason(_ server: BackendDescriptor, _ isAdministrator: Bool, drop: [String] = []) throws -> AuthError {
            var choice = RowLosses.Choice()
            (choice.keepsIDs, choice.dropped) = (true, drop)
            return try failure { try choice.requireIDs(on: server, isAdministrator: isAdministrator) }
        }
        let needsKey = try reason(Self.numbered, false)
        #expect(needsKey.reason == .usage && needsKey.nextSteps == ["add --admin-key-file FILE"])
        try expect(reason(Self.named, true).reason, .unsupported)
        try expect(reason(Self.numbered, true, drop: ["id"]).reason, .usage)
        try RowLosses.Choice().requireIDs(on: Self.named, isAdministrator: false)
    }
}
