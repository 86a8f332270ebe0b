package import AuthModel
import Platform
import Transport

/// Sends the requests of a table as its users, one after the other.
package struct RunChecks {
    /// A request that was sent as one user.
    package struct Cell: Sendable {
        /// The index of the request.
        package let row: Int
        package let column: Int
        /// The path as sent, with its query.
        package var path: String
        /// `nil` if the outcome is not known.
        package var outcome: CheckOutcome?
        /// Why the outcome is not known.
        package var error: AuthError?
    }

    private struct Account {
        let user: String
        let client: Client
        /// `nil` for requests without a session.
        var active: ActiveSession?
    }

    var table: CheckTable
    /// The maximum length of a response.
    var longestBody = 8 << 20
    private var accounts: [Account] = []
    /// Whether the server may treat a session that has ended like none, so that a denial may not be the user's.
    private let hidesEndedSessions: Bool

    /// Finds the sessions.
    ///
    /// - Throws: `AuthError` `noSession` if there is none for a user; `usage` if a session must not be sent to `apiURL`.
    package init(_ table: CheckTable, _ client: Client) throws(AuthError) {
        self.table = table
        hidesEndedSessions =
            try client.settings.apiURL() != nil || client.settings.backend.value.has(.hidesEndedSessions)
        for user in table.users {
            let own = [CheckTable.me, CheckTable.anyone].contains(user) ? client : client.named(user)
            let active = user == CheckTable.anyone ? nil : try own.sessions.find()
            guard active != nil || user == CheckTable.anyone else {
                throw own.sessions.noSession(namesOthers: false).as(user)
            }
            _ = try SendRequest(own).base(for: active)
            accounts.append(Account(user: user, client: own, active: active))
        }
    }

    /// The requests, not sent. `{me}` stays if the user's id is not known.
    package var preview: [Cell] {
        table.rows.enumerated().flatMap { number, row in
            table.users.indices.filter { row.expected[$0] != .notSent }.map { column in
                let id = accounts[column].active?.user.id?.percentEncoded ?? SendRequest.ownID
                return Cell(row: number, column: column, path: row.path.replacing(SendRequest.ownID, with: id))
            }
        }
    }

    /// Checks all sessions with the server, and refreshes them if needed.
    ///
    /// - Throws: the error of the first session that the server does not accept.
    package mutating func checkSessions() throws(AuthError) {
        for index in accounts.indices { try confirm(&accounts[index]) }
    }

    /// Sends the requests.
    ///
    /// - Parameters:
    ///   - isStopped: whether no further request may be sent.
    ///   - report: receives each cell, in order.
    ///   - note: tells the user why the run waits.
    ///   - inspect: receives each response before it is judged.
    /// - Returns: the error that ended the run early, or that concerns earlier cells; otherwise `nil`.
    package mutating func run(
        isStopped: () -> Bool, report: (Cell) throws(AuthError) -> Void, note: (String) -> Void,
        inspect: (Cell, RequestAnswer) -> Void = { _, _ in }
    ) throws(AuthError) -> AuthError? {
        var (ending, held): (AuthError?, [Cell]) = (nil, [])
        rows: for (number, row) in table.rows.enumerated() {
            for column in table.users.indices where row.expected[column] != .notSent {
                guard !isStopped(), ending == nil else { break rows }
                var cell = Cell(row: number, column: column, path: row.path)
                do throws(AuthError) {
                    cell.outcome = try outcome(of: row, &cell, isStopped, note, inspect)
                } catch {
                    cell.error = error
                    ending = error.isOfOneCell ? nil : error
                }
                if hidesEndedSessions { held.append(cell) } else { try report(cell) }
            }
        }
        if hidesEndedSessions, let late = withdrawDenials(in: &held) { ending = ending ?? late }
        for cell in held { try report(cell) }
        return ending
    }

    /// Makes denials unknown that may be those of a session that has ended.
    private mutating func withdrawDenials(in cells: inout [Cell]) -> AuthError? {
        var ending: AuthError?
        for index in accounts.indices {
            let denied = cells.indices.filter { cells[$0].column == index && cells[$0].outcome?.meaning == .denied }
            do throws(AuthError) {
                if !denied.isEmpty { try confirm(&accounts[index]) }
            } catch {
                for place in denied { (cells[place].outcome, cells[place].error) = (nil, error) }
                ending = ending ?? (error.isOfOneCell ? nil : error)
            }
        }
        return ending
    }

    private mutating func outcome(
        of row: CheckTable.Row, _ cell: inout Cell, _ isStopped: () -> Bool, _ note: (String) -> Void,
        _ inspect: (Cell, RequestAnswer) -> Void
    ) throws(AuthError) -> CheckOutcome {
        var answer = try send(row, &cell)
        if answer.response.status == 429 {
            let seconds = min(max(answer.error?.retryAfter ?? 5, 1), 60)
            note("waiting \(seconds) s, because the server limits requests")
            for _ in 0..<seconds where !isStopped() { accounts[cell.column].client.waiting.pause(.seconds(1)) }
            if !isStopped() { answer = try send(row, &cell) }
        }
        if let error = answer.error, error.reason == .badAppKey { throw error.shown }
        let token = accounts[cell.column].active?.session.token
        if let token, CheckOutcome.doubtsSession(answer) {
            try confirm(&accounts[cell.column])
            let delay = Self.delay(before: token, answer.response)
            if accounts[cell.column].active?.session.token != token || answer.refusal == .tokenTooEarly || delay > 0 {
                accounts[cell.column].client.waiting.pause(.seconds(delay))
                answer = try send(row, &cell)
            }
        }
        inspect(cell, answer)
        return try CheckOutcome(
            answer, to: row.method, hasSession: token != nil, expecting: row.expected[cell.column])
    }

    /// The seconds, at most 5, until a JWT is as old as the server's clock demands.
    private static func delay(before token: Secret, _ response: HTTPResponse) -> Int64 {
        guard let start = JWT(token)?.issuedAt, let now = response.headers["Date"].flatMap({ RetryAfter.date($0) })
        else { return 0 }
        return min(max(start.seconds - now.seconds, 0), 5)
    }

    /// Sends a request once (libcurl repeats one that only reads if the kept connection is dead), with a session that is
    /// valid for at least a minute if it can be refreshed.
    private mutating func send(_ row: CheckTable.Row, _ cell: inout Cell) throws(AuthError) -> RequestAnswer {
        let (client, column) = (accounts[cell.column].client, cell.column)
        let backend = try client.backends.connect()
        var request = HTTPRequest(row.method, row.path, body: row.body, isIdempotent: row.isRead)
        request.headers["Content-Type"] = row.contentType
        request.reception = .whole(limit: longestBody)
        (request.followsRedirects, request.mostTries) = (false, 1)
        var active = accounts[column].active
        defer { accounts[column].active = active }
        let target = try SendRequest(client).target(of: request, backend, &active)
        (cell.path, request) = (target.path, target.request)
        let changing = backend as? any ChangedRowsShowing
        request = try converting { () throws(BackendError) in
            try changing?.showingChangedRows(of: request, below: target.base) ?? request
        }
        let answer = try transmit(request, below: target.base, client, backend, &active)
        // The denial may be that of reading the rows.
        guard answer.refusal == .denial, let counting = changing?.countingChangedRows(of: request) else {
            return answer
        }
        let counted = try transmit(counting, below: target.base, client, backend, &active)
        guard counted.error != nil || counted.response.rowCount != nil else {
            throw AuthError(.invalidResponse, "the response does not show whether the request changed a row")
        }
        return counted
    }

    private func transmit(
        _ request: HTTPRequest, below base: String?, _ client: Client, _ backend: any Backend,
        _ active: inout ActiveSession?
    ) throws(AuthError) -> RequestAnswer {
        guard var session = active else {
            return try converting { () throws(BackendError) in
                try backend.send(request, below: base, with: nil)
            }.value
        }
        defer { active = session }
        try client.sessions.refresh(&session, ifExpiredAt: client.clock.now().adding(.seconds(60)))
        let isRejection = { (_: AuthError) in false }
        return try client.sessions.send("sending the request", with: &session, isRejection: isRejection) {
            session throws(BackendError) in try backend.send(request, below: base, with: session)
        }
    }

    /// Checks a session with the server, which may refresh it.
    private func confirm(_ account: inout Account) throws(AuthError) {
        guard var active = account.active else { return }
        do throws(AuthError) {
            active.user = try account.client.sessions.fetchUser(with: &active)
            account.active = active
        } catch {
            throw error.as(account.user).explaining("cannot send requests as '\(account.user)'")
        }
    }
}

extension AuthError {
    /// Whether the error makes one outcome unknown. Any other error ends the run.
    fileprivate var isOfOneCell: Bool { [.unreachable, .serverError].contains(outcome) }

    /// The error with the option that selects the user's session in its next steps.
    fileprivate func `as`(_ user: String) -> AuthError {
        guard user != CheckTable.me else { return self }
        var error = self
        for (index, step) in nextSteps.enumerated() where !step.command.isEmpty && !step.command.contains("--as") {
            error.nextSteps[index].command += ["--as", user]
        }
        return error
    }
}
