package import AuthModel
package import Platform

/// A source of received e-mails.
package protocol MailSource: Sendable {
    /// All e-mails, newest last.
    func mails() throws(AuthError) -> [ReceivedMail]
    /// All e-mails to an address, newest last.
    func mails(to address: String) throws(AuthError) -> [ReceivedMail]
}

extension MailSource {
    package func mails(to address: String) throws(AuthError) -> [ReceivedMail] {
        try mails().compactMap { $0.addressed(to: address) }
    }
}

/// Reads the e-mails in a folder: files from the embedded server (`.eml`, one e-mail each), and from Django's
/// `filebased.EmailBackend` (`.log`, several e-mails, each followed by a line of 79 dashes).
package struct MailFolderReader: MailSource {
    private let folder: PrivateFolder
    private let warn: @Sendable (String) -> Void

    /// - Parameter warn: called for each file that is left out because it cannot be read.
    package init(_ folder: PrivateFolder, warn: @escaping @Sendable (String) -> Void) {
        self.folder = folder
        self.warn = warn
    }

    /// - Throws: `AuthError` `usage` if the folder does not exist, because its path is probably wrong.
    package init(
        existing folder: PrivateFolder, named path: Setting<String>, warn: @escaping @Sendable (String) -> Void
    ) throws(AuthError) {
        let exists = try mappingFileErrors { () throws(FileError) in try folder.open() != nil }
        guard exists else {
            throw AuthError(
                .usage, "no folder '\(path.value)'\(path.origin.clause)",
                next: NextStep("if the server has sent no e-mail yet, run: mkdir -p \(path.value.shellQuoted)"))
        }
        self.init(folder, warn: warn)
    }

    /// The maximum size of an e-mail in bytes, as on a Mailpit server. Larger ones are left out.
    private static let limit = 1 << 20
    /// The maximum size of a Django file in bytes.
    private static let fileLimit = 64 << 20

    /// Sorts by date, which has whole seconds, then by the time of the file.
    package func mails() throws(AuthError) -> [ReceivedMail] {
        let names = try mappingFileErrors { () throws(FileError) in try folder.fileNamesByTime() }
        var mails: [ReceivedMail] = []
        for name in names {
            let isMail = name.hasSuffix(".eml")
            guard isMail || name.hasSuffix(".log"),
                let bytes = read(name, limit: isMail ? Self.limit : Self.fileLimit)
            else { continue }
            if isMail {
                var mail = ReceivedMail(MIMEMessage(bytes))
                mail.isUnfinished = bytes.last != UInt8(ascii: "\n")
                mails.append(mail)
            } else {
                let messages = Self.messages(in: bytes)
                let whole = messages.filter { $0.count <= Self.limit }
                if whole.count < messages.count { warn("'\(name)' has an e-mail of more than \(Self.limit) bytes") }
                mails += whole.map { ReceivedMail(MIMEMessage($0)) }
            }
        }
        return mails.enumerated().sorted { first, second in
            let dates = (first.element.date?.seconds ?? .min, second.element.date?.seconds ?? .min)
            return dates.0 == dates.1 ? first.offset < second.offset : dates.0 < dates.1
        }.map(\.element)
    }

    /// Reads a file; `nil` if the file was deleted in the meantime. A file that cannot be read, such as a link, must not
    /// hide the others.
    private func read(_ name: String, limit: Int) -> [UInt8]? {
        do throws(FileError) {
            return try folder.read(name, limit: limit)
        } catch {
            warn("cannot read an e-mail: \(error.message)")
            return nil
        }
    }

    /// Returns the e-mails in a Django file. Omits the last e-mail if no line of dashes follows it, because Django may
    /// still be writing it. Source: `django/core/mail/backends/filebased.py`.
    static func messages(in bytes: [UInt8]) -> [[UInt8]] {
        var (messages, start, line) = ([[UInt8]](), 0, 0)
        while line < bytes.count {
            let end = bytes[line...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            if end - line == 79, bytes[line..<end].allSatisfy({ $0 == UInt8(ascii: "-") }) {
                messages.append(Array(bytes[start..<max(start, line - 1)]))
                start = end + 1
            }
            line = end + 1
        }
        return messages
    }
}
