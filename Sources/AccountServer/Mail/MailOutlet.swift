package import Platform

/// Where the server's mails go.
package protocol MailOutlet: Sendable {
    /// Returns when the mail will not be lost any more.
    func deliver(_ mail: Mail) throws(FileError)
}

/// Puts each mail into a folder, as a file of its own that can be opened with a mail program.
///
/// Files are named by time and chance, `20260102T030405678Z-0f3a….eml`, and are their owner's alone: the links in them
/// are as good as passwords.
package struct MailFolder: MailOutlet {
    private let folder: PrivateFolder

    package init(_ folder: PrivateFolder) {
        self.folder = folder
    }

    package func deliver(_ mail: Mail) throws(FileError) {
        let time = mail.date.textWithMilliseconds.filter { $0 != "-" && $0 != ":" && $0 != "." }
        let name = "\(time)-\(Randomness.system.hex(byteCount: 8)).eml"
        _ = try folder.lock().replace(name, with: Array(mail.text.utf8))
    }
}
