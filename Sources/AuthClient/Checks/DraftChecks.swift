package import AuthModel
import JSON
import Platform
import Transport

/// Drafts a table of checks: what users get today from the lists that a server describes, and from their items.
///
/// Only sends GET. Of each list, the draft has one item that each user sees, requested as all users, so that a table
/// has items of the user and of others.
package struct DraftChecks {
    package struct Row: Sendable, Equatable {
        package let path: String
        /// For each user, an outcome of the table: `yes`, `no`, a status, or `-` if it is not known.
        package let outcomes: [String]
    }

    package struct Draft: Sendable {
        package let users: [String]
        package fileprivate(set) var rows: [Row] = []
        package fileprivate(set) var leftOut: [LeftOut]
        package fileprivate(set) var requests = 0
    }

    /// What a user gets for a request.
    private struct Answer {
        /// An outcome of the table; `nil` if it is not known.
        var outcome: String?
        /// Why it is not known.
        var error: AuthError?
        /// The paths of the items of a list, in the order of the response.
        var items: [String] = []
    }

    private let client: Client
    private let users: [String]
    private var checks: RunChecks
    private var draft: Draft
    /// The first error of a request.
    private var firstError: AuthError?

    /// The number of items of a list that are looked at.
    private static let mostItems = 100

    /// Finds the sessions.
    ///
    /// - Parameter users: as in the head line of a table.
    /// - Throws: the errors of `RunChecks.init`.
    package init(_ client: Client, users: [String]) throws(AuthError) {
        self.client = client
        self.users = users
        checks = try RunChecks(CheckTable(users: users, paths: []), client)
        checks.longestBody = 1 << 20
        draft = Draft(users: users, leftOut: [])
    }

    /// Checks all sessions with the server, and drafts the table.
    ///
    /// - Parameters:
    ///   - patterns: paths to skip, in which `*` stands for any text.
    ///   - limit: the maximum number of requests.
    ///   - note: tells the user why the run waits.
    /// - Throws: the error that ended the run, such as that of a session that has ended; if there is no row, the first
    ///   error of a request.
    package mutating func run(
        _ lists: [DescribedList], leftOut: [LeftOut] = [], skipping patterns: [String], limit: Int,
        note: (String) -> Void
    ) throws(AuthError) -> Draft {
        try checks.checkSessions()
        draft.leftOut = leftOut
        let authentication = try authenticationPaths()
        var usable: [DescribedList] = []
        for list in lists where !isSkipped(list.path, patterns) {
            if authentication.contains(where: list.path.isAtOrBelow) || list.path.namesLogOut {
                leaveOut(list.path, "it belongs to logins and may end a session")
            } else if let path = Self.checked(list.path) {
                usable.append(DescribedList(path: path, item: list.item))
            } else {
                leaveOut(list.path, "it is not a path that authctl can request")
            }
        }
        let found = try ask(usable, limit, note)
        let wanted = found.map { answers in Self.chosen(answers.map(\.items)).filter { !isSkipped($0, patterns) } }
        var seen = try ask(wanted.joined().map { DescribedList(path: $0, item: []) }, limit, note)[...]
        for (list, (answers, items)) in zip(usable, zip(found, wanted)) {
            add(list.path, answers)
            for (item, answers) in zip(items, seen) { add(item, answers) }
            seen = seen.dropFirst(items.count)
        }
        guard draft.rows.isEmpty else { return draft }
        let cause = draft.leftOut.first.map { " (\($0.request): \($0.reason))" } ?? ""
        throw firstError ?? AuthError(.invalidResponse, "the server describes no list that can be requested\(cause)")
    }

    private mutating func isSkipped(_ path: String, _ patterns: [String]) -> Bool {
        guard patterns.contains(where: { path.matches($0) }) else { return false }
        leaveOut(path, "--skip")
        return true
    }

    private mutating func leaveOut(_ path: String, _ reason: String, as user: String? = nil) {
        draft.leftOut.append(LeftOut(request: "GET \(path)" + (user.map { " as \($0)" } ?? ""), reason: reason))
    }

    /// Adds a row, unless nothing about it is known.
    private mutating func add(_ path: String, _ answers: [Answer]) {
        if answers.contains(where: { $0.outcome != nil }) {
            draft.rows.append(Row(path: path, outcomes: answers.map { $0.outcome ?? "-" }))
        }
        for (user, answer) in zip(users, answers) {
            guard let error = answer.error else { continue }
            firstError = firstError ?? error
            leaveOut(path, error.message, as: user)
        }
    }

    // MARK: - Descriptions

    /// Reads an OpenAPI document at a path of the site, with the first user's session.
    ///
    /// - Parameter text: the path, or a URL below the base URL.
    package func document(at text: String) throws(AuthError) -> OpenAPIDocument {
        let (user, isAnyone) = (users[0], users[0] == CheckTable.anyone)
        let own = SendRequest(user == CheckTable.me || isAnyone ? client : client.named(user), usesSession: !isAnyone)
        let path = try RequestPath(try own.path(in: text))
        var request = HTTPRequest(.get, path.path + (path.query.map { "?\($0)" } ?? ""))
        request.headers["Accept"] = "application/vnd.oai.openapi+json, application/json"
        request.reception = .whole(limit: OpenAPIDocument.limit)
        let result = own.run(request)
        if let error = result.error { throw error }
        return try OpenAPIDocument(result.response?.body ?? [], name: "'\(text)'", reason: .invalidResponse)
    }

    /// Requests the lists that the server describes; `nil` if this kind of server describes none.
    ///
    /// - Parameter adminKey: `nil` for a server that describes its lists to everyone.
    package func describedLists(adminKey: Secret?) throws(AuthError) -> [DescribedList]? {
        guard let backend = try client.backends.connect() as? any Administering else { return nil }
        let key = try client.backends.checked(adminKey)
        return try client.backends.call("reading the description", else: "cannot read which lists the server has") {
            () throws(BackendError) in try backend.describedLists(adminKey: key)
        }
    }

    // MARK: - Requests

    /// Requests lists, or items, as all users.
    ///
    /// - Returns: the answers for as many of the first paths as the limit allows.
    private mutating func ask(
        _ lists: [DescribedList], _ limit: Int, _ note: (String) -> Void
    ) throws(AuthError) -> [[Answer]] {
        let count = min((limit - draft.requests) / users.count, lists.count)
        for list in lists.dropFirst(count) { leaveOut(list.path, "the limit of \(limit) requests") }
        checks.table = CheckTable(users: users, paths: lists.prefix(count).map(\.path))
        draft.requests += count * users.count
        var found = Array(repeating: users.map { _ in Answer() }, count: count)
        var left: [LeftOut] = []
        let ending = try checks.run(
            isStopped: { false },
            report: { cell in
                let outcome = cell.outcome?.actual(.yes) ?? found[cell.row][cell.column].outcome
                found[cell.row][cell.column].outcome = outcome
                found[cell.row][cell.column].error = outcome == nil ? cell.error : nil
            }, note: note,
            inspect: { cell, answer in
                let list = lists[cell.row]
                found[cell.row][cell.column].outcome = Self.status(of: answer)
                for ids in CheckOutcome.listed(in: answer.response).prefix(Self.mostItems).compactMap(list.ids) {
                    if let path = Self.path(of: list, ids) {
                        found[cell.row][cell.column].items.append(path)
                    } else {
                        let id = ids.joined(separator: ", ").start(100)
                        let item = LeftOut(request: "an item of \(list.path)", reason: "its id is '\(id)'")
                        if !left.contains(item) { left.append(item) }
                    }
                }
            })
        draft.leftOut += left
        if let ending { throw ending }
        return found
    }

    /// The status of a rejection, if it alone is a usable outcome. Some servers deny with a status that does not tell.
    private static func status(of answer: RequestAnswer) -> String? {
        let status = answer.response.status
        // `try?`: a page or a gateway does not tell.
        guard 400..<500 ~= status, CheckExpectation("\(status)") != nil,
            (try? CheckOutcome(answer, to: .get, hasSession: true, expecting: .status(status))) != nil
        else { return nil }
        return "\(status)"
    }

    // MARK: - Items

    /// An item for each user that sees one, of those that the fewest users see.
    private static func chosen(_ items: [[String]]) -> [String] {
        let counts = items.reduce(into: [String: Int]()) { counts, paths in
            for path in Set(paths) { counts[path, default: 0] += 1 }
        }
        var chosen: [String] = []
        for paths in items {
            guard let path = paths.min(by: { counts[$0, default: 0] < counts[$1, default: 0] }),
                !chosen.contains(path)
            else { continue }
            chosen.append(path)
        }
        return chosen
    }

    /// The path of an item; `nil` if a server could take its id for more than one segment of a path.
    private static func path(of list: DescribedList, _ ids: [String]) -> String? {
        let isPlain = ids.allSatisfy { id in
            !id.isEmpty && id.utf8.count <= 256 && !id.utf8.contains { $0 == UInt8(ascii: "/") || $0.isASCIIControl }
        }
        return isPlain ? checked(list.path(ofItem: ids)) : nil
    }

    /// The path, percent-encoded as `check` sends it; `nil` if `check` would not accept it.
    private static func checked(_ path: String) -> String? {
        // `try?`: see above.
        guard let path = try? RequestPath(path), !path.path.holds(SendRequest.ownID) else { return nil }
        return path.path + (path.query.map { "?\($0)" } ?? "")
    }

    /// The paths below which the server handles logins: the server URL of a site, and the mount of an Auth server.
    private func authenticationPaths() throws(AuthError) -> [String] {
        let (backend, settings) = (try client.backends.connect(), client.settings)
        var base = try settings.apiURL()
        if base == nil { base = try converting { () throws(BackendError) in try backend.requestBase() } }
        let mounts = settings.backend.value.settings.filter { $0.form == .mount }
            .compactMap { settings.serverSettings[$0.key] ?? $0.standard }
        // Servers that describe lists have more than logins below their URL.
        let server = backend is any Administering ? "" : settings.connection.server ?? ""
        let own = base.flatMap { server.hasPrefix($0) ? [String(server.dropFirst($0.count))] : nil } ?? []
        return (own + mounts).map(\.withoutFinalSlashes).filter { !$0.isEmpty && $0 != "/" }
    }
}

extension String {
    fileprivate func isAtOrBelow(_ path: String) -> Bool { self == path || hasPrefix("\(path)/") }

    /// Whether a GET may end a session.
    fileprivate var namesLogOut: Bool {
        split(separator: "/").contains { segment in
            ["logout", "signout", "logoff"].contains(segment.lowercased().filter { $0 != "-" && $0 != "_" })
        }
    }

    /// Whether the text is that of a pattern, in which `*` stands for any text.
    fileprivate func matches(_ pattern: String) -> Bool {
        var (text, pattern) = (Array(utf8)[...], Array(pattern.utf8)[...])
        var retry: (text: ArraySlice<UInt8>, pattern: ArraySlice<UInt8>)?
        while !text.isEmpty || !pattern.isEmpty {
            if pattern.first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                retry = (text, pattern)
            } else if let byte = text.first, byte == pattern.first {
                (text, pattern) = (text.dropFirst(), pattern.dropFirst())
            } else if let last = retry, !last.text.isEmpty {
                (text, pattern) = (last.text.dropFirst(), last.pattern)
                retry?.text = text
            } else {
                return false
            }
        }
        return true
    }
}
