package import AuthModel
import JSON
import Platform
package import Transport

/// Sends a request that the user specified, with the current session or without a session.
package struct SendRequest: UseCase {
    /// The response to show, and the error with which the command fails.
    package struct Result {
        package var response: HTTPResponse?
        package var error: AuthError?
    }

    /// A request with its complete URL, and what an error calls it.
    struct Target {
        var request: HTTPRequest
        /// The path below the base URL, with the query.
        let path: String
        /// The setting `apiURL`, if the request goes there.
        let base: String?
        /// A message such as `'GET /orders/7' failed`, without the query, which may contain a secret.
        let failure: String
    }

    /// The placeholder for the user's id in a path or query.
    package static let ownID = "{me}"

    let client: Client
    private let usesSession: Bool

    package init(_ client: Client, usesSession: Bool = true) {
        self.client = client
        self.usesSession = usesSession
    }

    /// Sends the request. If the server rejects the session, refreshes the session and sends the request once more, if
    /// both are possible.
    ///
    /// - Parameter request: its `url` is only the path below the base URL, with its query.
    package func run(_ request: HTTPRequest) -> Result {
        var result = Result()
        do throws(AuthError) {
            let backend = try client.backends.connect()
            var active = try session()
            let target = try target(of: request, backend, &active)
            result = send(target, by: backend, with: &active)
            if result.error == nil { updateTimes(of: &active) }
        } catch {
            result.error = error
        }
        return result
    }

    /// The session of the request; `nil` for a request without one.
    private func session() throws(AuthError) -> ActiveSession? {
        guard usesSession else { return nil }
        var active = try sessions.current()
        // `try?`: the answer to the request shows whether the server accepts the session.
        try? sessions.learnWord(of: &active)
        return active
    }

    /// Saves the new expiry of a session that the server has extended.
    private func updateTimes(of active: inout ActiveSession?) {
        guard var session = active, session.hasExpired(at: client.clock.now()) else { return }
        // `try?`: the new expiry is optional, because the server has just accepted the session.
        try? sessions.describe(&session, within: .seconds(3))
    }

    /// Requests all pages of a list.
    ///
    /// - Parameter show: receives each element as one line of JSON, without a newline.
    /// - Returns: the error that ended the list early, and the response that caused it, if any; an empty result if all
    ///   pages were read.
    package func runPages(of request: HTTPRequest, show: ([UInt8]) throws(AuthError) -> Void) -> Result {
        var result = Result()
        do throws(AuthError) {
            let backend = try client.backends.connect()
            var active = try session()
            var page = try target(of: request, backend, &active)
            var next: HTTPRequest? = try converting { () throws(BackendError) in
                try backend.firstPage(of: page.request, below: page.base)
            }
            var (requests, lastBody, shown): (Set<String>, [UInt8], Int) = ([], [], 0)
            while let request = next {
                page.request = request
                let sent = sendPatiently(page, by: backend, with: &active)
                guard sent.error == nil, let response = sent.response else { return sent }
                result.response = response
                let list = try list(in: response, page)
                result.response = nil
                // A server that ignores the paging parameters would send the same page forever.
                guard requests.insert(request.url).inserted, response.body != lastBody else {
                    throw AuthError(.invalidResponse, "the server repeats a page of the list").explaining(page.failure)
                }
                lastBody = response.body
                for element in list.elements { try show(JSONLayout.compact(response.body[element])) }
                shown += list.elements.count
                next = try failing(as: page.failure) { () throws(AuthError) in
                    try converting { () throws(BackendError) in
                        try backend.page(after: list, to: request, below: page.base)
                    }
                }
                if next == nil, list.announcesMore(than: shown) {
                    throw list.end(after: shown).explaining(page.failure)
                }
            }
            updateTimes(of: &active)
        } catch {
            result.error = error
        }
        return result
    }

    // MARK: - The request

    /// Returns the path and query of a URL below the base URL, such as the `next` of a list. Other text is returned
    /// unchanged.
    ///
    /// - Throws: `AuthError` `usage` if the URL is not below the base URL.
    package func path(in text: String) throws(AuthError) -> String {
        guard let url = URLParts(text) else { return text }
        let backend = try client.backends.connect()
        var base = try client.settings.apiURL()
        if base == nil {
            base = try converting(client.backends.advice) { () throws(BackendError) in try backend.requestBase() }
        }
        guard let base, let mount = URLParts(base), url.userInfo == nil, url.isAtOrBelow(mount) else {
            let place = base.flatMap { URLParts($0) == nil ? nil : "'\($0)'" } ?? "the local accounts"
            throw AuthError(
                .usage, "'\(ServerURL.masked(text))' is not a URL of \(place)",
                nextSteps: [
                    "use a path that begins with '/', such as /users/me",
                    NextStep(
                        "to use another API, set its base URL",
                        run: ["profile", "set", client.profile, "apiURL", "URL"]),
                ])
        }
        return url.path.dropFirst(mount.path.count) + (url.query.map { "?\($0)" } ?? "")
    }

    /// Adds the base URL to the request, and replaces `{me}` with the user's id.
    func target(
        of request: HTTPRequest, _ backend: any Backend, _ active: inout ActiveSession?
    ) throws(AuthError) -> Target {
        var request = request
        let base = try base(for: active)
        if request.url.holds(Self.ownID) {
            request.url = request.url.replacing(Self.ownID, with: try userID(&active).percentEncoded)
            // The id is from the server, so the path must be checked again.
            if let problem = RequestPath.problem(of: String(request.url.prefix { $0 != "?" })) {
                throw AuthError(.invalidResponse, "the path with the user's id in place of \(Self.ownID) \(problem)")
            }
        }
        let failure = "'\(request.method.rawValue) \(request.url.prefix { $0 != "?" })' failed"
        let root =
            if let base {
                base
            } else {
                try converting(client.backends.advice) { () throws(BackendError) in try backend.requestBase() }
            }
        let path = request.url
        request.url = root + path
        return Target(request: request, path: path, base: base, failure: failure)
    }

    private func userID(_ active: inout ActiveSession?) throws(AuthError) -> String {
        guard var session = active else {
            throw AuthError(.usage, "a path with \(Self.ownID) requires a session", next: "remove --no-session")
        }
        if let id = session.user.id { return id }
        let user = try sessions.fetchUser(with: &session)
        active = session
        guard let id = user.id else {
            let isNeverTold = client.settings.backend.value.has(.hasOnlyLogin)
            throw AuthError(
                isNeverTold ? .usage : .unsupported,
                "the server does not tell the user's id, which \(Self.ownID) stands for")
        }
        return id
    }

    /// Returns the setting `apiURL`. A saved session is sent only to the API URL that was set at login.
    func base(for active: ActiveSession?) throws(AuthError) -> String? {
        guard let url = try client.settings.apiURL() else { return nil }
        guard let active else { return url }
        guard active.source == .environment || active.apiURL == url else {
            let own = active.apiURL.map { "for '\($0)'" } ?? "without an API URL"
            throw AuthError(
                .usage, "cannot send the session to the API URL '\(url)': it was saved \(own)",
                next: NextStep("log in again", run: ["login"]))
        }
        return url
    }

    // MARK: - Sending requests

    private func send(
        _ target: Target, by backend: any Backend, with active: inout ActiveSession?
    ) -> Result {
        let request = target.request
        var last: HTTPResponse?
        do throws(AuthError) {
            guard var session = active else {
                let answer = try client.backends.call("sending the request") { () throws(BackendError) in
                    try backend.send(request, below: target.base, with: nil)
                }.value
                var error = answer.error?.shown
                if let reason = error?.reason, reason == .tokenRefused || reason.meansInvalidSession {
                    error?.reason = .tokenRefused
                    error?.message = "the server requires a session"
                }
                return Result(response: answer.response, error: error?.explaining(target.failure))
            }
            defer { active = session }
            let answer = try sessions.send(
                "sending the request", with: &session, isRejection: \.mayMeanInvalidSession
            ) { session throws(BackendError) in
                guard last == nil || request.isRepeatable else { throw .notRepeatable }
                let reply = try backend.send(request, below: target.base, with: session)
                last = reply.value.response
                guard var error = reply.value.error else { return reply }
                error.replacement = reply.replacement
                // A status alone, or a response from `apiURL`, does not prove that the session was rejected.
                if error.reason.meansInvalidSession, error.isReasonOfStatus || target.base != nil {
                    error.reason = .tokenRefused
                }
                throw error
            }
            return Result(response: answer.response)
        } catch {
            var error = error.explaining(target.failure)
            if error.reason == .tokenRefused, target.base == nil {
                let step = NextStep("to see whether only this path does not accept the session", run: ["whoami"])
                error.nextSteps.insert(step, at: 0)
            }
            return Result(response: last, error: error)
        }
    }

    private static let mostWaits = 20

    /// The longest pause in seconds. If the server requests a longer pause, the command fails.
    private static let longestWait = 300

    /// Sends a request, and repeats it after a pause if the server limits requests, because a list must be complete.
    private func sendPatiently(
        _ target: Target, by backend: any Backend, with active: inout ActiveSession?
    ) -> Result {
        for number in 0..<Self.mostWaits {
            let result = send(target, by: backend, with: &active)
            guard let error = result.error, error.reason == .rateLimited else { return result }
            // `Retry-After: 0` is no pause, so the pauses grow as they do without the field.
            let asked = error.retryAfter == 0 ? nil : error.retryAfter
            guard let seconds = asked ?? (number < 5 ? 1 << number : nil), seconds <= Self.longestWait
            else { return result }
            client.events.note("waiting \(seconds) s, because the server limits requests")
            client.waiting.pause(.seconds(seconds))
        }
        return send(target, by: backend, with: &active)
    }

    private func list(in response: HTTPResponse, _ target: Target) throws(AuthError) -> JSONList {
        do throws(JSONSyntaxError) {
            var list = try JSONList(parsing: response.body)
            list.add(PageHeaders(response.headers))
            return list
        } catch {
            throw AuthError(
                .invalidResponse, "the response is not a JSON list: \(error.description) (byte \(error.offset))",
                server: ServerDetail(status: response.status)
            ).explaining(target.failure)
        }
    }
}

extension JSONList {
    /// Adds what the header of the response tells, unless the document itself names the next page.
    fileprivate mutating func add(_ header: PageHeaders) {
        if more.next == .unnamed { more.next = header.next.map { .link($0) } ?? (header.isLinked ? .none : .unnamed) }
        more.count = more.count ?? header.total
        more.hasMore = more.hasMore || header.hasMore
    }

    /// The error for a list that ends although more items are announced.
    fileprivate func end(after shown: Int) -> AuthError {
        let cause =
            switch more.next {
            case _ where form == .single: "the response announces other pages, but has no list under a known name"
            case .unknown(let member):
                "the response names a next page in '\(member)', which authctl cannot follow"
            default:
                "the response announces more than \(shown) item\(shown == 1 ? "" : "s"), but names no next page"
            }
        return AuthError(.invalidResponse, cause, next: "request the pages one by one, without --paginate")
    }
}

extension BackendError {
    fileprivate static let notRepeatable = BackendError(
        .sessionExpired, "the session was rejected and then refreshed, but the request cannot be repeated",
        next: "run the command again")
}

extension AuthError {
    /// Whether the session may be invalid: also after status 401 without an error code. If the response has an error
    /// code, such as the code for a deleted account, a refresh would not help.
    fileprivate var mayMeanInvalidSession: Bool {
        reason.meansInvalidSession || reason == .tokenRefused && server?.code ?? .null == .null
    }
}
