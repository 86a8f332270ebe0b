import JSON
package import Platform
import Synchronization
package import Transport

/// Lets tests change the state of a server: its accounts, e-mails, clock, snapshots and faults.
///
/// The controls are below a secret path on the server's port. The secret path is the only key that a program needs.
/// Requests from web pages are rejected.
// `@unchecked`: the variables are used only while `mutex` is locked, which the compiler cannot verify.
package final class TestControls: @unchecked Sendable {
    /// The base URL of the controls, without a trailing slash. It contains the secret.
    package let url: String
    private let origin: String
    private let parseURL: String
    private let secret: Secret
    private let masker = Masker()
    private let databaseFile: FileLocation?
    let randomness: Randomness
    let database: GuardedDatabase
    let throttle: Throttle?
    private let mailQueue: MailQueue?
    private let mutex = RecursiveMutex()
    private let clock: WallClock
    /// How far the server's clock is ahead of `clock`. Tests move the server's clock forward.
    let shift = Mutex(Duration.zero)
    let mailbox = Mailbox()
    var snapshots = Snapshots()
    var faults: [FaultRule] = []

    /// - Parameters:
    ///   - origin: the origin of the server's URLs, such as `http://127.0.0.1:1337`.
    ///   - settings: the server's settings. Its Parse routes must then use `wallClock` and an outlet from `recording`.
    package init(origin: String, _ settings: ServerSettings, database: GuardedDatabase) {
        let text = settings.randomness.hex(byteCount: 32)
        url = "\(origin)/\(text)"
        self.origin = origin
        parseURL = settings.baseURL
        secret = Secret(text)
        masker.register(text)
        databaseFile = settings.database
        randomness = settings.randomness
        self.database = database
        throttle = settings.throttle
        mailQueue = settings.mailQueue
        clock = settings.clock
    }

    /// The clock of the server: `clock` plus `shift`.
    package var wallClock: WallClock {
        WallClock { [self] in clock.now().adding(shift.withLock { $0 }) }
    }

    /// An outlet that records each e-mail and also delivers it to `next`, if set.
    package func recording(_ next: (any MailOutlet)?) -> any MailOutlet {
        mailbox.next.withLock { $0 = next }
        return mailbox
    }

    /// The path with `<redacted>` in place of the secret, for the log.
    package func masked(_ path: String) -> String { masker.mask(path) }

    /// Whether the path of the request is the secret path or below it.
    package func areAddressed(by request: HTTPRequest) -> Bool {
        RequestTarget(request.url, mount: origin).path.first.map(secret.matches) ?? false
    }

    /// Answers a request that addresses the controls.
    ///
    /// - Throws: `TransportError` of kind `storage` or `outOfMemory`. Other errors become responses.
    package func answer(to request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        // A web page must not use the test controls, even if it learns the secret path.
        guard request.headers["Origin"] == nil else {
            return .refusal(403, "requests with an Origin field may not use the test controls")
        }
        mailQueue?.finish()
        do throws(RequestError) {
            return try mutex.withLock { () throws(RequestError) in try dispatch(request) }
        } catch {
            guard let response = error.response else { throw error.transportError(databaseFile) }
            return response
        }
    }

    private func dispatch(_ request: HTTPRequest) throws(RequestError) -> HTTPResponse {
        let target = RequestTarget(request.url, mount: origin)
        let path = target.path.dropFirst()
        func handled(
            _ method: HTTPRequest.Method, by handler: () throws(RequestError) -> HTTPResponse
        ) throws(RequestError) -> HTTPResponse {
            if request.method == method { return try handler() }
            var response = HTTPResponse.refusal(405, "this path does not support the method")
            response.headers["Allow"] = method.rawValue
            return response
        }
        switch path.first {
        case "users" where path.count == 1: return try handled(.delete, by: deleteUsers)
        case "users" where path.count == 2:
            return try handled(.patch) { () throws(RequestError) in try setVerified(path.last ?? "", try json(request))
            }
        case "mails" where path.count == 1:
            let recipient = JSONObject(firstOf: target.query)["to"]?.string
            return try handled(.get) { listMails(to: recipient) }
        case "clock" where path.count == 1:
            return try handled(.post) { () throws(RequestError) in try advanceClock(try json(request)) }
        case "snapshots" where path.count == 1: return try handled(.post, by: makeSnapshot)
        case "snapshots" where path.count == 3 && path.last == "restore":
            return try handled(.post) { () throws(RequestError) in try restoreSnapshot(path.dropFirst().first ?? "") }
        case "faults" where path.count == 1:
            return try handled(.put) { () throws(RequestError) in try setFaults(try json(request)) }
        default: return .refusal(404, "the test controls have no such path")
        }
    }

    /// The body as JSON, regardless of its content type.
    private func json(_ request: HTTPRequest) throws(RequestError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: request.body ?? [])
        } catch {
            throw .invalid("the body is not JSON: \(error.description) at byte \(error.offset)")
        }
    }

    /// The fault for a Parse request; `nil` if there is none. Call this once per request, in the order of arrival.
    package func fault(of request: HTTPRequest) -> Fault? {
        mutex.withLock { faults.isEmpty ? nil : decidedFault(of: request) }
    }

    private func decidedFault(of request: HTTPRequest) -> Fault? {
        let target = RequestTarget(request.url, mount: parseURL)
        guard target.isInsideMount else { return nil }
        // `try?`: a malformed body is rejected later, by the Parse routes.
        let method = ParseRequest.method(request.method, (try? RequestBody.fields(of: request)) ?? [:])
        var decided: Fault?
        // Every rule decides, even after a match, so that its decisions do not depend on earlier rules.
        for index in faults.indices where faults[index].decide(method, target.path) {
            decided = decided ?? faults[index].fault
        }
        guard request.method == .head, let fault = decided else { return decided }
        return Fault(delay: fault.delay, response: fault.response?.withoutBody)
    }
}

extension RequestError {
    static func invalid(_ text: String) -> RequestError { .answered(.refusal(400, text)) }
}

/// The most recent e-mails of a server, kept in memory for tests. Each e-mail is also delivered to `next`, if set.
final class Mailbox: MailOutlet {
    /// 1000 e-mails take at most about 2 MB, because links contain no long usernames.
    static let mostMails = 1000

    private let content = Mutex<[Mail]>([])
    let next = Mutex<(any MailOutlet)?>(nil)

    /// The recorded e-mails, oldest first.
    var mails: [Mail] {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    func deliver(_ mail: Mail) throws(FileError) {
        try next.withLock { $0 }?.deliver(mail)
        content.withLock { mails in
            if mails.count == Self.mostMails { mails.removeFirst() }
            mails.append(mail)
        }
    }

}
