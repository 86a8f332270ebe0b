package import AuthModel
import Platform

/// Takes the links and codes of an account from its e-mails, the newest first.
///
/// A link that names another account does not count, because anybody can send an e-mail.
package struct MailKeys {
    private let user: User
    private let purposes: [ReceivedMail.Purpose?]
    private let isOld: (ReceivedMail) -> Bool
    private var tried: [ReceivedMail] = []
    private var failure: AuthError?
    private var areOthers = false
    private var start: Duration?

    /// At most this many links are sent, so that a folder of used links causes few requests.
    private static let mostLinks = 5

    /// - Parameters:
    ///   - purposes: the kinds of e-mail that count, the best first; `nil` is the unknown kind.
    ///   - isOld: whether an e-mail counts only once no newer one has arrived in time.
    package init(
        of user: User, _ purposes: [ReceivedMail.Purpose?], isOld: @escaping (ReceivedMail) -> Bool = { _ in false }
    ) {
        self.user = user
        self.purposes = purposes
        self.isOld = isOld
    }

    /// Waits for an e-mail that was not returned before; `nil` if there is none at the time `end`.
    ///
    /// - Parameter look: returns the e-mails to the account, newest last.
    package mutating func next(
        until end: Duration, _ waiting: Waiting, isStopped: () -> Bool = { false },
        _ look: () throws(AuthError) -> [ReceivedMail]
    ) throws(AuthError) -> ReceivedMail? {
        let start = start ?? waiting.now()
        self.start = start
        // The file of the newest e-mail may still be written.
        let patience = start + (end <= start ? .seconds(2) : min(end - start, .seconds(10)))
        while true {
            let mails = try look()
            let (left, isHalf) = (end - waiting.now(), mails.last?.isUnfinished == true && waiting.now() < patience)
            let isLast = left <= .zero || isStopped()
            if !isHalf, let mail = candidates(mails, isLast).first(where: { !tried.contains($0) }) {
                tried.append(mail)
                return mail
            }
            guard isHalf || !isLast else { return nil }
            waiting.pause(isHalf ? .milliseconds(200) : min(left, .milliseconds(200)))
        }
    }

    private mutating func candidates(_ mails: [ReceivedMail], _ takesOld: Bool) -> [ReceivedMail] {
        var usable = mails.reversed().filter { ($0.link ?? $0.code) != nil && purposes.contains($0.purpose) }
        let count = usable.count
        usable.removeAll { mail in mail.link.map { MailKey($0).isOf(user) == false } ?? false }
        areOthers = usable.count < count
        let timely = usable.filter { takesOld || !isOld($0) }
        let ordered = purposes.flatMap { purpose in timely.filter { $0.purpose == purpose } }
        // A wrong code counts as an attempt, so only the newest one is sent, or few if another login may have requested one.
        let codes = ordered.prefix { $0.link != nil }.count + (purposes.contains(.login) ? 3 : 1)
        return Array(ordered.prefix(min(codes, Self.mostLinks)))
    }

    /// Passes over an e-mail whose link or code the server rejects as used or expired. Throws every other error.
    package mutating func pass(_ error: AuthError) throws(AuthError) {
        guard !error.isAfterSuccess, error.reason == .notFound || error.reason == .wrongCode else { throw error }
        failure = failure ?? error
    }

    /// The error if no link or code was accepted.
    ///
    /// - Parameter subject: the e-mail, such as `verification e-mail to 'ada@example.org'`.
    package func error(_ subject: String) -> AuthError {
        failure
            ?? AuthError(
                .notFound, areOthers ? "no \(subject) with a link of this account" : "no \(subject)")
    }
}
