import AuthClient
import AuthModel
import Platform

/// A search for the link or code of an account in its e-mails.
struct MailKeySearch {
    /// An e-mail counts if its link names no other account.
    var user = User()
    /// The addresses of the account, the one whose e-mails are tried first at the start.
    let addresses: [String]
    let purpose: ReceivedMail.Purpose
    var wait = Duration.zero
    /// The e-mails that do not count, because they arrived before the request.
    var earlier: [ReceivedMail] = []
    /// An e-mail with an earlier date does not count.
    var earliest: Instant?
    /// The command that requests the e-mail, if another one does.
    var request: [String]?
    /// Has read the earlier e-mails, if this command requests the e-mail.
    var source: (any MailSource)?

    private var search: MailSearch { MailSearch(recipient: addresses.first, purpose: purpose, wait: wait) }

    /// Excludes the e-mails that are there before a request.
    mutating func excludeEarlier(in context: Context) throws(AuthError) {
        let source = try search.source(in: context, hasOptions: false)
        self.source = source
        earlier = try mails(source)
    }

    private func mails(_ source: any MailSource) throws(AuthError) -> [ReceivedMail] {
        var mails: [ReceivedMail] = []
        for address in addresses.reversed() { mails += try source.mails(to: address) }
        return mails
    }

    /// Calls `use` with links and codes and the addresses of their e-mails, until the server accepts one.
    ///
    /// - Throws: `AuthError` `notFound` if no e-mail arrives in time; else the error of the first key, if the server
    ///   rejects every key as used or expired.
    func run<Result>(
        in context: Context, use: (MailKey, _ address: String) throws(AuthError) -> Result
    ) throws(AuthError) -> Result {
        let waiting = Waiting(now: context.world.uptime, pause: context.world.pause)
        // A server may send the e-mail only after its response to the request.
        let end = waiting.now() + (self.source != nil && wait == .zero ? .seconds(2) : wait)
        let source =
            if let source { source } else { try search.source(in: context, hasOptions: false) }
        var keys = MailKeys(of: user, purpose.accepted)
        func next() throws(AuthError) -> ReceivedMail? {
            try context.events.during("waiting for the e-mail") { () throws(AuthError) in
                try keys.next(until: end, waiting) { () throws(AuthError) in
                    try mails(source).filter { mail in
                        !earlier.contains(mail) && (earliest.map { (mail.date ?? $0) >= $0 } ?? true)
                    }
                }
            }
        }
        while let mail = try next() {
            do throws(AuthError) {
                return try use(try MailKey(pasted: mail.key(for: purpose), in: context), mail.recipient)
            } catch {
                try keys.pass(error)
            }
        }
        let steps = search.notFound.nextSteps + (request.map { [NextStep("to request it", run: $0)] } ?? [])
        throw keys.error(search.subject).suggesting(steps)
    }
}

extension MailKey {
    /// Offers the key in an e-mail that has just arrived; `nil` if there is none, or if the user declines.
    init?(offeredBy search: MailKeySearch, in context: Context) {
        var search = search
        let what = search.addresses.first?.looksLikePhone == true ? "A text message" : "An e-mail"
        (search.wait, search.earliest) = (.seconds(3), context.world.clock.now().adding(.seconds(-5)))
        // `try?`: without an e-mail, the user can still paste the key.
        guard let key = try? search.run(in: context, use: { key, _ throws(AuthError) in key }),
            let answer = context.ask("\(what) arrived: use its \(key.link == nil ? "code" : "link")? [Y/n] ")
        else { return nil }
        if answer.isEmpty || answer.isYes {
            self = key
        } else if answer.contains(where: \.isNumber), let pasted = try? MailKey(pasted: answer, in: context) {
            // The user has pasted a link or code instead. `try?`: the next prompt reports what is wrong.
            self = pasted
        } else {
            return nil
        }
    }
}

extension Context {
    /// Calls `use` with the key from the source that the options name, and with the address that it was sent to; `nil`
    /// if they name no source.
    ///
    /// - Parameters:
    ///   - address: the address that the user gives.
    ///   - known: the account whose e-mails count if no address is given.
    ///   - missing: how to give the address.
    func withKey<Result>(
        _ options: MailKeyOptions, for purpose: ReceivedMail.Purpose, to address: String?,
        orOf known: @autoclosure () -> (user: User, addresses: [String]), missing: NextStep,
        use: (MailKey, _ address: String?) throws(AuthError) -> Result
    ) throws(AuthError) -> Result? {
        guard options.isFromMail else {
            guard let key = try MailKey(options, in: self) else { return nil }
            return try use(key, address)
        }
        let (user, addresses) = known()
        let isKnown = addresses.contains { $0.lowercased() == address?.lowercased() }
        var search = MailKeySearch(
            user: address == nil || isKnown ? user : User(), addresses: address.map { [$0] } ?? addresses,
            purpose: purpose, wait: options.wait)
        search.request = search.addresses.first.map {
            purpose == .reset ? ["password", "reset"] + .argument($0) : ["verify-email"] + .option("--email", $0)
        }
        guard !search.addresses.isEmpty else {
            throw AuthError(.usage, "--from-mail requires the e-mail address of the account", next: missing)
        }
        return try search.run(in: self) { key, recipient throws(AuthError) in try use(key, recipient) }
    }
}
