package import Platform

/// A destination for the server's e-mails.
package protocol MailOutlet: Sendable {
    /// Returns when the e-mail has been stored durably.
    func deliver(_ mail: Mail) throws(FileError)
    /// Takes the same steps as `deliver`, and as long, without delivering the e-mail: it has no recipient, and the client
    /// must not learn that.
    func discard(_ mail: Mail) throws(FileError)
}

/// Writes each e-mail to a separate file in a folder, which a mail program can open.
///
/// File names consist of time and random digits, `20260102T030405678Z-0f3a….eml`. Only the owner can read the files,
/// because their links are as sensitive as passwords.
package struct MailFolder: MailOutlet {
    private let folder: PrivateFolder

    package init(_ folder: PrivateFolder) {
        self.folder = folder
    }

    package func deliver(_ mail: Mail) throws(FileError) {
        try write(Array(mail.text.utf8), name(mail))
    }

    /// Replaces one hidden file with spaces.
    package func discard(_ mail: Mail) throws(FileError) {
        _ = name(mail)
        try write([UInt8](repeating: UInt8(ascii: " "), count: mail.text.utf8.count), ".discarded")
    }

    private func name(_ mail: Mail) -> String {
        let time = mail.date.textWithMilliseconds.filter { $0 != "-" && $0 != ":" && $0 != "." }
        return "\(time)-\(Randomness.system.hex(byteCount: 8)).eml"
    }

    private func write(_ text: [UInt8], _ name: String) throws(FileError) {
        try folder.lock().replace(name, with: text)
    }
}
