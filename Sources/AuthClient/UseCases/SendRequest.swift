package import AuthModel
import JSON
import Platform

/// Sends a request that the user specified, with the current session or without a session.
package struct SendRequest {
    /// The response to show, and the error with which the command fails.
    package struct Result {
        package var response: APIResponse?
        package var error: AuthError?
    }

    /// The placeholder for the user's id in a path or query.
    package static let ownID = "{me}"

    private let client: Client
    private let usesSession: Bool
    private var sessions: SessionProvider { client.sessions }

    package init(_ client: Client, usesSession: Bool = true) {
        self.client = client
        self.usesSession = usesSession
    }

    /// Sends the request. If the server rejects the session, refreshes the session and sends the request once more, if
    /// both are possible.
    package func run(_ request: APIRequest) -> Result {
        var result = Result()
        do throws(AuthError) {
            let backend = try self.backend()
            var active = usesSession ? try sessions.current() : nil
            let request = try completed(request, &active)
            result = send(request, by: backend, with: &active)
            if result.error == nil { updateTimes(of: &active) }
        } catch {
            result.error = error
        }
        return result
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
    package func runPages(of request: APIRequest, show: ([UInt8]) throws(AuthError) -> Void) -> Result {
        var result = Result()
        do throws(AuthError) {
            let backend = try self.backend()
            var active = usesSession ? try sessions.current() : nil
            var next: APIRequest? = try backend.firstPage(of: try completed(request, &active))
            var (requests, lastBody): (Set<String>, [UInt8]) = ([], [])
            while let page = next {
                let sent = sendPatiently(page, by: backend, with: &active)
                guard sent.error == nil, let response = sent.response else { return sent }
                result.response = response
                let list = try list(in: response, page)
                result.response = nil
                // A server that ignores the paging parameters would send the same page forever.
                guard requests.insert("\(page.path)?\(page.query ?? "")").inserted, response.body != lastBody else {
                    throw AuthError(.invalidResponse, "the server repeats a page of the list").explaining(page.failure)
                }
                lastBody = response.body
                for element in list.elements { try show(JSONLayout.compact(response.body[element])) }
                next = try failing(as: page.failure) { () throws(AuthError) in
                    try backend.page(after: response, list, to: page)
                }
            }
            updateTimes(of: &active)
        } catch {
            result.error = error
        }
        return result
    }

    private func backend() throws(AuthError) -> any RequestSending {
        try client.backends.require((any RequestSending).self, to: "send requests")
    }

    // MARK: - The request

    /// Adds the base URL to the request, and replaces `{me}` with the user's id.
    private func completed(_ request: APIRequest, _ active: inout ActiveSession?) throws(AuthError) -> APIRequest {
        var request = request
        request.base = try base(for: active)
        guard request.path.holds(Self.ownID) || request.query?.holds(Self.ownID) == true else { return request }
        let id = try userID(&active).percentEncoded
        request.path = request.path.replacing(Self.ownID, with: id)
        // The id is from the server, so the path must be checked again.
        if let problem = RequestPath.problem(of: request.path) {
            throw AuthError(.invalidResponse, "the path with the user's id in place of \(Self.ownID) \(problem)")
        }
        request.query = request.query?.replacing(Self.ownID, with: id)
        return request
    }

    private func userID(_ active: inout ActiveSession?) throws(AuthError) -> String {
        guard var session = active else {
            throw AuthError(.usage, "a path with \(Self.ownID) requires a session", next: "remove --no-session")
        }
        if let id = session.user.id { return id }
        let user = try sessions.fetchUser(with: &session)
        active = session
        guard let id = user.id else {
            throw AuthError(.unsupported, "the server does not tell the user's id, which \(Self.ownID) stands for")
        }
        return id
    }

    /// Returns the setting `apiURL`. A saved session is sent only to the API URL that was set at login.
    private func base(for active: ActiveSession?) throws(AuthError) -> String? {
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
        _ request: APIRequest, by backend: any RequestSending, with active: inout ActiveSession?
    ) -> Result {
        var last: APIResponse?
        do throws(AuthError) {
            guard var session = active else {
                let reply = try client.backends.call("sending the request") { () throws(AuthError) in
                    try backend.send(request, with: nil)
                }
                var error = reply.value.error
                if let reason = error?.reason, reason == .tokenRefused || reason.meansInvalidSession {
                    error?.reason = .tokenRefused
                    error?.message = "the server requires a session"
                }
                return Result(response: reply.value, error: error?.explaining(request.failure))
            }
            defer { active = session }
            let response = try sessions.send("sending the request", with: &session) { session throws(AuthError) in
                if let last, !request.canFollow(last) { throw .notRepeatable }
                let reply = try backend.send(request, with: session)
                last = reply.value
                guard var error = reply.value.error else { return reply }
                error.replacement = reply.replacement
                throw error.askingForRefresh
            }
            return Result(response: response)
        } catch {
            var error = error
            // A status alone, or a response from `apiURL`, does not prove that the account server revoked the session.
            if error.reason == .sessionRevoked, error.operation == .callAPI,
                error.evidence == .status || request.base != nil
            {
                error.reason = .tokenRefused
            }
            return Result(response: last, error: error.explaining(request.failure))
        }
    }

    private static let mostWaits = 20

    /// The longest pause in seconds. If the server requests a longer pause, the command fails.
    private static let longestWait = 300

    /// Sends a request, and repeats it after a pause if the server limits requests, because a list must be complete.
    private func sendPatiently(
        _ request: APIRequest, by backend: any RequestSending, with active: inout ActiveSession?
    ) -> Result {
        for number in 0..<Self.mostWaits {
            let result = send(request, by: backend, with: &active)
            guard let error = result.error, error.reason == .rateLimited else { return result }
            // `Retry-After: 0` is no pause, so the pauses grow as they do without the field.
            let asked = error.retryAfter == 0 ? nil : error.retryAfter
            guard let seconds = asked ?? (number < 5 ? 1 << number : nil), seconds <= Self.longestWait
            else { return result }
            client.events.note("waiting \(seconds) s, because the server limits requests")
            client.waiting.pause(.seconds(seconds))
        }
        return send(request, by: backend, with: &active)
    }

    private func list(in response: APIResponse, _ request: APIRequest) throws(AuthError) -> JSONList {
        do throws(JSONSyntaxError) {
            return try JSONList(parsing: response.body)
        } catch {
            throw AuthError(
                .invalidResponse, "the response is not a JSON list: \(error.description) (byte \(error.offset))",
                server: ServerDetail(status: response.status)
            ).explaining(request.failure)
        }
    }
}

extension APIRequest {
    /// A message such as `'GET /orders/7' failed`, without the query, which may contain a secret.
    fileprivate var failure: String { "'\(method) \(path)' failed" }

    /// Whether the request can be sent again after this response.
    fileprivate func canFollow(_ response: APIResponse) -> Bool {
        guard !response.wasPassedOn, case .source(let source) = body else { return !response.wasPassedOn }
        return source.isRepeatable
    }
}

extension AuthError {
    fileprivate static let notRepeatable = AuthError(
        .sessionExpired, "the session was rejected and then refreshed, but the request cannot be repeated",
        next: "run the command again")

    /// Treats status 401 without an error code as a revoked session, so that the session is refreshed. If the response
    /// has an error code, such as the code for a deleted account, a refresh would not help.
    fileprivate var askingForRefresh: AuthError {
        guard reason == .tokenRefused, server?.code ?? .null == .null else { return self }
        var error = self
        error.reason = .sessionRevoked
        return error
    }
}
