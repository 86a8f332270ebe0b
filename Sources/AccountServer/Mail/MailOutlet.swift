package import Platform

/// A destination for the server's e-mails.
package protocol MailOutlet: Sendable {
    /// Returns when the e-mail has been stored durably.
    func deliver(_ mail: Mail) throws(FileError)
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
        let time = mail.date.textWithMilliseconds.filter { $0 != "-" && $0 != ":" && $0 != "." }
        let name = "\(time)-\(Randomness.system.hex(byteCount: 8)).eml"
        try folder.lock().replace(name, with: Array(mail.text.utf8))
    }
}
