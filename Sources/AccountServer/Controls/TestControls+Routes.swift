import JSON
internal import Platform
internal import SQLite
internal import Transport

extension TestControls {
    /// `DELETE /users` -> 200 `{}`. Empties all tables, deletes the recorded e-mails and ends account locks. The clock,
    /// the faults and the snapshots do not change.
    func deleteUsers() throws(RequestError) -> HTTPResponse {
        try database.use { database throws(SQLiteError) in
            // Copy an empty database, because deleting the rows of many accounts is slow.
            let empty = try Snapshots.emptyDatabase()
            try empty.execute("PRAGMA page_size = \(try database.integer("PRAGMA page_size"))")
            try Schema.create(in: empty)
            try Self.replaceContent(of: database, by: empty)
        }
        throttle?.reset()
        mailbox.mails = []
        return ParseResponses.json([:])
    }

    /// `PATCH /users/<id>` with `emailVerified` -> 200 `{}`; 400 or 404 on error. Sessions stay valid.
    func setVerified(_ id: String, _ body: JSONValue) throws(RequestError) -> HTTPResponse {
        guard let object = body.object, object.names == ["emailVerified"],
            let isVerified = object["emailVerified"]?.bool
        else { throw .invalid("the body must be {\"emailVerified\":true} or {\"emailVerified\":false}") }
        let users = Users(database: database)
        guard var user = try users.user(id: id) else { throw .answered(.refusal(404, "the user does not exist")) }
        user.isEmailVerified = isVerified
        try users.update(user)
        return ParseResponses.json([:])
    }

    /// `GET /mails?to=<address>` -> 200 `{"items":[{"to":…,"subject":…,"at":…,"link":…,"code":null}]}`, oldest first.
    /// The case of addresses is ignored. Without `to`, the list contains all recorded e-mails.
    func listMails(to recipient: String?) -> HTTPResponse {
        let wanted = recipient.map(Users.key)
        let items = mailbox.mails.filter { wanted == nil || Users.key($0.recipient) == wanted }.map(Self.item)
        return ParseResponses.json(["items": .array(items)])
    }

    private static func item(_ mail: Mail) -> JSONValue {
        [
            "to": .string(mail.recipient), "subject": .string(mail.subject), "at": .string(mail.date.text),
            "link": .string(mail.link), "code": nil,
        ]
    }

    /// `POST /clock` with `advanceSeconds` -> 200 `{"time":"2026-01-02T03:04:05Z"}` with the new time; 400 on error.
    func advanceClock(_ body: JSONValue) throws(RequestError) -> HTTPResponse {
        // 100 years of 365 days. Much later times could exceed the year 9999, the last that RFC 3339 can represent.
        let longest: Int64 = 100 * 365 * 24 * 3600
        guard let object = body.object, object.names == ["advanceSeconds"],
            let seconds = object["advanceSeconds"]?.integer, 0...longest ~= seconds,
            shift.withLock({ $0 + .seconds(seconds) <= .seconds(longest) })
        else { throw .invalid("the body must be {\"advanceSeconds\":N}; N is at most \(longest) in all") }
        shift.withLock { $0 += .seconds(seconds) }
        return ParseResponses.json(["time": .string(wallClock.now().text)])
    }

    /// `POST /snapshots` -> 201 `{"id":"…"}`.
    func makeSnapshot() throws(RequestError) -> HTTPResponse {
        let id = ObjectID.make(from: randomness)
        try database.use { database throws(SQLiteError) in
            try snapshots.add(id, of: database, mails: mailbox.mails, shift: shift.withLock { $0 })
        }
        return ParseResponses.json(["id": .string(id)], status: 201)
    }

    /// `POST /snapshots/<id>/restore` -> 200 `{}`; 404 for an unknown id. Restores the tables, the recorded e-mails and
    /// the clock offset, ends account locks, and keeps the snapshot.
    func restoreSnapshot(_ id: String) throws(RequestError) -> HTTPResponse {
        guard let snapshot = snapshots[id] else { throw .answered(.refusal(404, "the snapshot does not exist")) }
        try database.use { database throws(SQLiteError) in
            try Self.replaceContent(of: database, by: snapshot.database)
        }
        throttle?.reset()
        mailbox.mails = snapshot.mails
        shift.withLock { $0 = snapshot.shift }
        return ParseResponses.json([:])
    }

    /// `PUT /faults` with a list of faults (see `FaultRule`) -> 200 `{}`; 400 on error. Replaces earlier faults.
    func setFaults(_ body: JSONValue) throws(RequestError) -> HTTPResponse {
        faults = try FaultRule.rules(body)
        return ParseResponses.json([:])
    }

    private static func replaceContent(
        of database: DatabaseConnection, by other: DatabaseConnection
    ) throws(SQLiteError) {
        try database.copyContent(of: other)
        // `copyContent` does not trigger SQLite's automatic checkpoint. Without an explicit checkpoint, the WAL would
        // grow with every copy.
        try database.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }
}

/// In-memory copies of a database, the recorded e-mails and the clock offset. They are lost when the process ends.
struct Snapshots {
    struct Snapshot {
        let id: String
        let database: DatabaseConnection
        let mails: [Mail]
        let shift: Duration
    }

    static let mostSnapshots = 16

    /// All snapshots, oldest first.
    private(set) var all: [Snapshot] = []

    subscript(id: String) -> Snapshot? { all.first { $0.id == id } }

    /// Adds a copy of the database. If there are already `mostSnapshots`, the oldest snapshot is removed.
    mutating func add(
        _ id: String, of database: DatabaseConnection, mails: [Mail], shift: Duration
    ) throws(SQLiteError) {
        if all.count == Self.mostSnapshots { all.removeFirst() }
        let copy = try Self.emptyDatabase()
        try copy.copyContent(of: database)
        all.append(Snapshot(id: id, database: copy, mails: mails, shift: shift))
    }

    static func emptyDatabase() throws(SQLiteError) -> DatabaseConnection {
        try DatabaseConnection(opening: ":memory:", busyTimeout: .zero)
    }
}
