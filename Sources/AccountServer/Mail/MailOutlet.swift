package import Platform

/// A destination for the server's e-mails.
package protocol MailOutlet: Sendable {
    /// Returns when the e-mail has been stored durably.
    func deliver(_ mail: Mail) throws(FileError)
    /// Takes the same steps and the same time as `deliver`, without delivering the e-mail: no account has the address, and
    /// the response time must not reveal that.
    func discard(_ mail: Mail) throws(FileError)
    /// Removes what `discard` left. Call it between requests.
    func removeDiscarded()
}

/// Writes each e-mail to a separate file in a folder, which a mail program can open.
///
/// File names consist of time and random digits, `20260102T030405678Z-0f3a….eml`. Only the owner can read the files,
/// because their links are as sensitive as passwords.
package struct MailFolder: MailOutlet {
    private let folder: PrivateFolder
    /// Whether there may be files to remove, at first those of a killed process. Shared by the copies of this value.
    private let hasDiscarded = Monitor(true)

    package init(_ folder: PrivateFolder) {
        self.folder = folder
    }

    package func deliver(_ mail: Mail) throws(FileError) {
        try folder.lock().overwrite(name(mail), with: Array(mail.text.utf8))
    }

    /// Writes spaces to a new hidden file. `removeDiscarded` removes it later, because that takes time, too.
    package func discard(_ mail: Mail) throws(FileError) {
        _ = name(mail)
        try folder.lock().writeLeftover([UInt8](repeating: UInt8(ascii: " "), count: mail.text.utf8.count))
        hasDiscarded.change { $0 = true }
    }

    package func removeDiscarded() {
        let isNeeded = hasDiscarded.change { hasDiscarded in
            defer { hasDiscarded = false }
            return hasDiscarded
        }
        guard isNeeded else { return }
        do throws(FileError) {
            // Without waiting, which would delay all requests.
            try folder.lock(patience: .zero).removeLeftovers()
        } catch {
            hasDiscarded.change { $0 = true }
        }
    }

    private func name(_ mail: Mail) -> String {
        let time = mail.date.textWithMilliseconds.filter { $0 != "-" && $0 != ":" && $0 != "." }
        return "\(time)-\(Randomness.system.hex(byteCount: 8)).eml"
    }
}
