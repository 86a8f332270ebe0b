import Platform
import Synchronization

/// The newest e-mails of a server, kept in memory for tests.
final class Mailbox: Sendable {
    /// About 2 MB, because usernames in links are limited.
    static let mostMails = 1000

    private let content = Mutex<[Mail]>([])

    /// The oldest first.
    var mails: [Mail] {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    func add(_ mail: Mail) {
        content.withLock { mails in
            if mails.count == Self.mostMails { mails.removeFirst() }
            mails.append(mail)
        }
    }
}

/// Adds each e-mail to a mailbox, and passes it on to another outlet if there is one.
struct RecordingOutlet: MailOutlet {
    let mailbox: Mailbox
    let next: (any MailOutlet)?

    func deliver(_ mail: Mail) throws(FileError) {
        try next?.deliver(mail)
        mailbox.add(mail)
    }

    func discard(_ mail: Mail) throws(FileError) { try next?.discard(mail) }
    func removeDiscarded() { next?.removeDiscarded() }
}
