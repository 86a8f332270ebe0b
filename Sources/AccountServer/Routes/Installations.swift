import JSON
import Platform
import Synchronization

/// The installations of apps, which SDKs register for push messages.
///
/// There are no push messages, so installations are kept in memory only: they are gone when the server stops, and an
/// SDK then registers again.
final class Installations: Sendable {
    struct Row: Sendable {
        let id: String
        let createdAt: Instant
        var updatedAt: Instant
        /// The client's fields, among them `installationId` and `deviceType`.
        var fields: JSONObject
    }

    /// In the order of the last change.
    private let rows = Mutex<[Row]>([])

    private static let mostRows = 1000

    func row(id: String) -> Row? { rows.withLock { $0.first { $0.id == id } } }

    func row(installationID: String) -> Row? {
        rows.withLock { $0.first { $0.fields["installationId"] == .string(installationID) } }
    }

    /// Adds the row, or replaces the one with its id. If there are too many, the oldest is forgotten.
    func save(_ row: Row) {
        rows.withLock { rows in
            rows.removeAll { $0.id == row.id }
            if rows.count == Self.mostRows { rows.removeFirst() }
            rows.append(row)
        }
    }
}
