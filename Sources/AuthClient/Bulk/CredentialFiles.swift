import AuthModel
import JSON
import Platform
import Synchronization

/// The file of generated passwords, with one line per account: `{"username":"ci-1","password":"…"}`. The member `email`
/// replaces `username` if the account has no username.
final class CredentialsFile: Sendable {
    private let file: AppendFile
    private let randomness: Randomness
    /// The passwords of earlier runs, by account name.
    private let passwords: Mutex<[String: Secret]>

    init(_ file: AppendFile, randomness: Randomness) throws(AuthError) {
        self.file = file
        self.randomness = randomness
        var passwords: [String: Secret] = [:]
        var reader = AccountRowReader(file.source())
        do throws(AccountRowError) {
            while let row = try reader.next() { passwords[row.name] = row.password }
        } catch {
            throw AuthError(
                .corrupt, "row \(reader.number) of '\(file.path)' is not a row of a credentials file",
                next: "name another file with --credentials")
        }
        self.passwords = Mutex(passwords)
    }

    /// Adds missing passwords, from an earlier run or newly generated. Syncs new passwords to disk before it returns.
    func complete(_ rows: inout [AccountRow]) throws(AuthError) {
        var lines: [UInt8] = []
        for index in rows.indices where rows[index].password == nil {
            let name = rows[index].name
            if let known = passwords.withLock({ $0.removeValue(forKey: name) }) {
                rows[index].password = known
                continue
            }
            let password = Secret.generated(randomness)
            rows[index].password = password
            let line: JSONObject = [rows[index].nameMember: .string(name), "password": .string(password.reveal())]
            lines += JSONValue.object(line).bytes + [UInt8(ascii: "\n")]
        }
        guard !lines.isEmpty else { return }
        try mappingFileErrors { () throws(FileError) in
            try file.append(lines)
            try file.sync()
        }
    }
}

/// The file of session tokens, with one line per session: `{"username":"ci-1","token":"…","expiresAt":null}`. The
/// member `email` replaces `username` if the account has no username.
struct TokensFile: Sendable {
    let file: AppendFile

    func add(_ session: Session, of row: AccountRow) throws(AuthError) {
        try file.append([
            row.nameMember: .string(row.name), "token": .string(session.token.reveal()),
            "expiresAt": JSONValue(session.expiresAt.map(\.text)),
        ])
    }
}

extension AppendFile {
    func append(_ line: JSONObject) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            try append(JSONValue.object(line).bytes + [UInt8(ascii: "\n")])
        }
    }
}

extension Secret {
    /// The characters for each position before shuffling. The first four positions satisfy common password rules.
    private static let characters = {
        let kinds = ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "-_.+"].map { Array($0.utf8) }
        return kinds + Array(repeating: kinds.flatMap(\.self), count: 16)
    }()

    /// Generates a password of 20 letters, digits and punctuation marks, with over 100 random bits.
    static func generated(_ randomness: Randomness) -> Secret {
        let random = randomness.bytes(40)
        let chosen = zip(characters, random).map { kind, byte in kind[Int(byte) % kind.count] }
        let shuffled = zip(random[20...], chosen).sorted { $0.0 < $1.0 }.map(\.1)
        return Secret(String(decoding: shuffled, as: UTF8.self))
    }
}
