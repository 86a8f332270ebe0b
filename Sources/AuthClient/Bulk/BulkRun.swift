package import AuthModel
package import Platform
import Synchronization

/// The result of one row in a bulk command.
package struct BulkResult: Sendable {
    /// The raw values appear in JSON output.
    package enum State: String, Sendable, CaseIterable {
        case created, existing, changed
        /// The account was as it should be.
        case unchanged
        case deleted
        /// The account to delete is no longer there.
        case gone
        case loggedIn = "logged-in"
        case verified, refreshed
        /// The row is valid, but was not sent, because this is a dry run.
        case valid
        /// Nothing to do: an earlier run did the work.
        case skipped
        case failed
        /// The outcome is unknown: the server may have created or deleted the account.
        case unknown
    }

    package let row: Int
    /// The position of the row in messages, such as `row 2 (line 3)`.
    package let place: String
    /// The name of the account; empty if the row cannot be read.
    package let name: String
    package let state: State
    package let id: String?
    package let error: AuthError?
    /// What a login to the account waits for.
    package var pending: Pending.Step?
    /// Whether the account counts as deleted only because its login is refused after a deletion without an answer.
    package var isPresumed = false
    /// The file of the account's browser state.
    package var file: String?
    /// How to avoid the error. It helps for all rows with this error.
    package var remedy: NextStep?

    init(
        _ row: AccountRow, _ state: State, id: String? = nil, _ error: AuthError? = nil,
        pending: Pending.Step? = nil, file: String? = nil, remedy: NextStep? = nil
    ) {
        self.row = row.number
        place = row.place
        name = row.name
        self.state = state
        self.id = id
        self.error = error
        (self.pending, self.file, self.remedy) = (pending, file, remedy)
    }
}

/// The backend of one thread, and the masker for the secrets in its current row.
package struct BulkWorker: Sendable {
    package let backend: any Backend
    let masker: Masker
    /// For the next steps of errors.
    private let settings: Settings?
    /// Whether a login has shown that the site identifies users by e-mail.
    private let wantsEmail = SharedFlag()
    /// Returns true if no further request may be sent.
    fileprivate(set) var isStopped: @Sendable () -> Bool = { false }

    package init(_ backend: any Backend, masker: Masker, _ settings: Settings? = nil) {
        self.backend = backend
        self.masker = masker
        self.settings = settings
    }

    fileprivate func naming(_ error: AuthError) -> AuthError { settings.map(error.naming) ?? error }

    /// Logs in to an account by its name, or by its e-mail if the site identifies users by e-mail. No error contains the
    /// password, even if the server repeats it.
    func logIn(to account: AccountRow, _ password: Secret) throws(AuthError) -> LogInOutcome {
        masker.register(password, isPassword: true)
        let login = (wantsEmail.isSet ? account.email : nil) ?? account.name
        do throws(AuthError) {
            return try converting { () throws(BackendError) in
                try backend.logIn(Credentials(login: login, password: password)).value
            }
        } catch {
            guard error.fact == .wantsEmail, let email = account.email, email != login else { throw error }
            wantsEmail.set()
            return try logIn(to: account, password)
        }
    }

    /// Logs in to an account. A login that requires a further step, such as e-mail verification, is an error.
    func session(of account: AccountRow, _ password: Secret) throws(AuthError) -> NewSession {
        try logIn(to: account, password).session()
    }

    /// Revokes a session that is not used, unless this ends other sessions of the user. `try?`: it may live on.
    func drop(_ session: Session) {
        if !backend.sharesAmongDevices(session) { _ = try? backend.logOut(session) }
    }
}

/// A fact that one row of a run shows for the later ones.
final class SharedFlag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

/// The work that a bulk command does for each row.
package protocol BulkWork: Sendable {
    associatedtype Row: Sendable

    /// Returns the next row; `nil` at the end of the input. May be called from any thread.
    func next() throws(AuthError) -> Row?
    /// Returns the result of a row that needs no request; `nil` if the row needs a request.
    func knownResult(of row: Row) -> BulkResult?
    /// Sends the requests for a row. If the server is unreachable or limits requests, `BulkRun` calls this function
    /// again with the row as the previous call left it.
    ///
    /// - Throws: `AuthError` if a request fails, or if a file cannot be written.
    func send(_ row: inout Row, _ worker: BulkWorker) throws(AuthError) -> BulkResult
    /// Returns the result of a row whose request has failed.
    func failed(_ row: Row, _ error: AuthError) throws(AuthError) -> BulkResult
    /// Completes the files after the last row, even if an error has ended the run.
    func finish() throws(AuthError)
}

/// Processes many rows on several threads, at a rate that the server accepts. Survives short outages.
package final class BulkRun: Sendable {
    package typealias Failure = AuthError
    /// Receives one result per call. May be called from any thread.
    package typealias Report = @Sendable (BulkResult) throws(Failure) -> Void

    private let workers: [BulkWorker]
    private let limiter: RateLimiter
    private let waiting: Waiting
    private let isStopped: @Sendable () -> Bool
    private let report: Report
    private let note: @Sendable (String) -> Void
    private let start: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - workers: one for each thread.
    ///   - interval: the shortest time between two requests.
    ///   - isStopped: returns true if no further row may be started.
    ///   - note: tells the user why the run waits.
    package init(
        _ workers: [BulkWorker], interval: Duration, waiting: Waiting, isStopped: @escaping @Sendable () -> Bool,
        report: @escaping Report, note: @escaping @Sendable (String) -> Void
    ) {
        self.workers = workers
        self.waiting = waiting
        self.isStopped = isStopped
        self.report = report
        self.note = note
        start = waiting.now()
        limiter = RateLimiter(interval: interval, waiting: waiting, isStopped: isStopped)
    }

    private struct State {
        var requests = 0
        /// The first error that ends the run. It ends all threads.
        var failure: AuthError?
    }

    /// - Throws: the first `AuthError` that ends the run, once all threads have ended.
    package func run(_ work: some BulkWork) throws(AuthError) {
        // If no other thread can be started, the current thread does all the work.
        let threads = workers.dropFirst().compactMap { worker in NativeThread { self.processRows(of: work, worker) } }
        processRows(of: work, workers[0])
        for thread in threads { thread.join() }
        guard let failure = state.withLock({ $0.failure }) else { return try work.finish() }
        // `try?`: the error of the run is reported, not a second error.
        try? work.finish()
        throw failure
    }

    private func processRows(of work: some BulkWork, _ worker: BulkWorker) {
        var worker = worker
        worker.isStopped = isStopped
        do throws(AuthError) {
            while !isStopped(), state.withLock({ $0.failure == nil }), var row = try work.next() {
                guard let result = try result(of: &row, work, worker) else { return }
                try report(result)
                state.withLock { $0.requests += 1 }
                worker.masker.forget()
            }
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    /// - Returns: `nil` if the work was stopped.
    private func result<Work: BulkWork>(
        of row: inout Work.Row, _ work: Work, _ worker: BulkWorker
    ) throws(AuthError) -> BulkResult? {
        if let result = work.knownResult(of: row) { return result }
        while limiter.wait() {
            do throws(AuthError) {
                let result = try work.send(&row, worker)
                limiter.succeeded()
                return result
            } catch {
                let error = worker.naming(error)
                let count = state.withLock { state in
                    state.requests += 1
                    return state.requests
                }
                switch error.bulkMeaning {
                case .tooFast:
                    let average = (waiting.now() - start) / count
                    guard let pause = limiter.rejected(retryAfter: error.retryAfter, average: average) else {
                        let time = error.retryAfter.map { "\($0) seconds" } ?? "some minutes"
                        throw error.suggesting("wait \(time), or use a lower --rate")
                    }
                    if pause > 0 { note("waiting \(pause) s, because the server limits requests") }
                case .outage: guard limiter.failed() else { throw error }
                case .everyRow: throw error
                case .thisRow:
                    limiter.succeeded()
                    return try work.failed(row, error)
                }
            }
        }
        return nil
    }
}

extension AuthError {
    fileprivate enum BulkMeaning { case tooFast, outage, everyRow, thisRow }

    /// Whether the request reached no server, or a server that is not ready.
    var isOutage: Bool {
        switch reason {
        case .dns, .connect, .proxy, .timeout: true
        case .serverFault: [502, 503, 504].contains(server?.status)
        default: false
        }
    }

    /// The consequence of an error: slow down, wait for the server, end the run, or fail only this row.
    fileprivate var bulkMeaning: BulkMeaning {
        switch reason {
        case .rateLimited where fact == .limitIsLong: .everyRow
        case .rateLimited: .tooFast
        case _ where isOutage: .outage
        case .badAppKey, .plainHTTP, .tls, .wrongEndpoint, .redirect: .everyRow
        default: [.failure, .usage, .unsupported, .storage].contains(outcome) ? .everyRow : .thisRow
        }
    }
}
