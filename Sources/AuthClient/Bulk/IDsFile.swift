import AuthModel
import JSON
import Platform
import Synchronization

/// The file of `users create --ids`, with one line per created account whose row has an id:
///
///     {"id":"OLD","username":"ci-1","newId":"NEW"}
///
/// The member `email` or `phone` replaces `username` if the account has no username. Each line follows the line of the
/// journal, so a later run can write the lines that a killed one lacks.
final class IDsFile: Sendable {
    private struct State {
        /// The new ids that the file had when it was opened.
        var written: Set<String> = []
        /// Those of accounts that are not known to exist. `finish` removes their lines.
        var dead: Set<String> = []
        /// The number of accounts whose id the server has not shown.
        var unknown = 0
    }

    private let file: AppendFile
    private let lines: SyncedLines
    private let state: Mutex<State>
    private let client: Client

    /// - Throws: `AuthError` `usage` if the file is of another run; `usage` or `corrupt` if authctl did not write it.
    init(_ file: AppendFile, of journal: AccountJournal, _ client: Client) throws(AuthError) {
        self.file = file
        self.client = client
        lines = SyncedLines(file, waiting: client.waiting)
        var state = State()
        try file.readRows(.ids) { _, line in
            if let id = line["newId"]?.string { state.written.insert(id) }
        }
        if !state.written.isEmpty {
            state.dead = state.written.subtracting(journal.liveIDs)
            guard state.dead != state.written || !state.dead.isDisjoint(with: journal.deadIDs) else {
                throw AuthError(
                    .usage, "'\(file.path)' has no account of the journal", next: "name a new file with --ids")
            }
        }
        self.state = Mutex(state)
    }

    /// Writes the line of a created account, unless the file has it.
    ///
    /// - Parameter row: the row, named as the server names the account.
    func add(_ row: AccountRow, _ newID: String?) throws(AuthError) {
        guard let oldID = row.oldID else { return }
        let isWritten = state.withLock { state in
            guard let newID else {
                state.unknown += 1
                return true
            }
            state.dead.remove(newID)
            return state.written.contains(newID)
        }
        guard !isWritten else { return }
        try lines.append(["id": .string(oldID), row.nameMember: .string(row.name), "newId": JSONValue(newID)])
    }

    /// Removes the dead lines. Afterwards, the file must not be used again.
    func finish() throws(AuthError) {
        let state = state.withLock { $0 }
        if state.unknown > 0 {
            client.events.warn("'\(file.path)' lacks accounts whose new id the server has not shown: \(state.unknown)")
        }
        var rest: [UInt8] = []
        if !state.dead.isEmpty {
            try file.readRows(.ids) { _, line in
                guard line["newId"]?.string.map(state.dead.contains) != true else { return }
                rest += JSONValue.object(line).bytes + [UInt8(ascii: "\n")]
            }
        }
        try mappingFileErrors { [rest] () throws(FileError) in
            if state.dead.isEmpty { return try file.sync() }
            if rest.isEmpty { try file.clear() } else { try file.replace(with: rest) }
        }
    }
}
