import CommandTestSupport
import Platform
import Synchronization

@testable import AuthBackends

/// The data about a backend that the contract tests need, such as a factory, the server's responses to each operation,
/// and how the server rejects a session or a password.
struct ContractBackend: Sendable, CustomTestStringConvertible {
    typealias Answer = (status: Int, body: String)

    let name: String
    /// The base URL of all requests, without a final slash.
    let base: String
    let make: @Sendable (any HTTPTransport, Masker) -> any Backend
    let session: Session
    /// A session that the server can refresh; `nil` if the sessions of this backend are never refreshed.
    var refreshable: Session?
    /// The steps of an operation for the user with this name; `nil` if the backend does not support the operation, or
    /// sends no request for it.
    let steps: @Sendable (ContractOperation, _ username: String) -> [ContractStep]?
    /// Operations that the backend's Swift type supports, but for which this backend sends no request.
    var withoutRequest: Set<ContractOperation> = []
    /// The path of the operation `request`.
    var requestPath = "/orders/"
    /// Whether requests go over a network, where a gateway can respond instead of the server.
    var hasNetwork = true

    /// The fields of a profile update.
    let update: UserChange
    /// The session token that a password change returns; `nil` if the session stays valid.
    let tokenAfterPasswordChange: String?
    /// The request that checks the base URL after some errors; `nil` if the backend sends none.
    var probe: String?
    /// Requests that follow if the response to a login contains another user's account.
    var stepsAfterForeignLogin: [ContractStep] = []

    /// The server's possible responses to a revoked or expired session.
    let rejectedSession: [Answer]
    /// The response to a login with a wrong name or password.
    let rejectedPassword: Answer
    /// In a password change or check, request `step` sends the current password. `answer` rejects a wrong password.
    let rejectedCurrentPassword: (step: Int, answer: Answer)
    var rejectedRefreshToken: Answer?
    /// The server's own 500 response, in the format of its errors.
    let serverFault: Answer
    /// Errors in the server's format that repeat the given value.
    let errorsRepeating: @Sendable (_ status: Int, JSONValue) -> [JSONValue]

    /// The identity of the operations with identities.
    var identity = IdentityCredential(.facebook, id: "1001", .accessToken(Secret(ContractSample.facebookToken)))
    /// Whether the response to a signup has a session.
    var signUpStartsSession = true
    /// The fields of a new account.
    var accountFields: JSONObject = ["memo": "x"]
    /// Whether accounts have an e-mail instead of a username: `ada` is `ada@example.org`.
    var hasEmailsOnly = false

    /// The username, or the name in the e-mail.
    func name(of user: User?) -> String? {
        hasEmailsOnly ? user?.email?.split(separator: "@").first.map { String($0) } : user?.username
    }

    /// Operations whose outcome is uncertain if no response arrives.
    var uncertain: Set<ContractOperation> = [
        .signUp, .logInAnonymously, .sendCode, .refresh, .changePassword, .resetPassword, .finishReset,
        .sendVerification,
        .verifyEmail, .logInWithIdentity, .linkIdentity, .unlinkIdentity, .updateUser, .deleteAccount, .request,
    ]
    /// Operations that are retried if the connection is dropped or the server is overloaded.
    var repeated: Set<ContractOperation> = [.currentUser, .logInWithToken, .logOut, .listSessions, .identities]

    var testDescription: String { name }

    static let all: [ContractBackend] = [
        .parse, .local, .restAuthKey, .restAuthJWT, .allauth, .allauthJWT, .kii, .pocketbase, .supabase, .firebase,
    ]

    /// Backends whose server has an API for apps.
    static let withAPI = all.filter { !$0.withoutRequest.contains(.request) }

    /// Backends whose Swift type supports refresh, even if their sessions have no refresh token.
    static let refreshing: [ContractBackend] = [
        .restAuthKey, .restAuthJWT, .allauth, .allauthJWT, .kii, .supabase, .firebase,
    ]
}

/// A request of an operation and its response.
struct ContractStep: Sendable {
    enum Role {
        /// A request that must succeed before the main request.
        case check
        /// The main request of the operation.
        case main
        /// A request after the main request. If this request fails, the operation reports the failure.
        case followUp
        /// The operation succeeds even if this step fails.
        case optional
    }

    let role: Role
    /// Method and path below the base URL, without the query: `POST login`.
    let request: String
    let status: Int
    let body: String

    init(_ role: Role, _ request: String, _ status: Int, _ body: String) {
        self.role = role
        self.request = request
        self.status = status
        self.body = body
    }

    init(_ role: Role, _ request: String, _ body: String) { self.init(role, request, 200, body) }
}

/// An operation of a backend, as an argument of a test.
struct ContractCase: Sendable, CustomTestStringConvertible {
    let backend: ContractBackend
    let operation: ContractOperation
    let steps: [ContractStep]

    var testDescription: String { "\(backend.name), \(operation)" }

    static let all: [ContractCase] = ContractBackend.all.flatMap { backend in
        ContractOperation.allCases.compactMap { operation in
            backend.steps(operation, "ada").map { ContractCase(backend: backend, operation: operation, steps: $0) }
        }
    }

    static let overNetwork = all.filter { $0.backend.hasNetwork }
    static let withSession = all.filter { $0.operation.usesSession && $0.operation != .logOut }
    static let withPassword = all.filter { $0.operation == .logIn || $0.operation == .secondFactor }

    var session: Session {
        operation == .refresh ? backend.refreshable ?? backend.session : backend.session
    }

    var mainStep: Int { steps.firstIndex { $0.role == .main } ?? 0 }

    /// The session tokens that no error of the operation may contain, including tokens that are not sent.
    var sessionTokens: [String] {
        switch operation {
        case .logInWithToken: [session.token.reveal()]
        case .refresh, .sendVerification, .verifyEmail:
            [session.token, session.refreshToken].compactMap { $0?.reveal() }
        default: operation.usesSession ? [session.token, session.refreshToken].compactMap { $0?.reveal() } : []
        }
    }

    /// Runs the operation on a new backend that sends its requests to `wrapping(transport)`.
    func run(
        _ transport: ContractTransport, login: String = "ada", password: String = ContractSample.password,
        wrapping: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws -> ContractResult {
        // Register the secrets, as commands do with the secrets that they read.
        let masker = Masker()
        for secret in ContractSample.inputs { masker.register(secret) }
        masker.register(session)
        let backend = backend.make(wrapping(transport), masker)
        return try operation.run(
            on: backend, of: self.backend, login: login, password: password, session: session)
    }
}

/// Responds to the requests of an operation in order. A test can make the first attempts of one step fail.
final class ContractTransport: HTTPTransport {
    typealias Fault = Result<HTTPResponse, TransportError>

    private struct State {
        var next = 0
        var faults: [Fault]
        var hasFailed = false
        var received: [HTTPRequest] = []
    }

    private let test: ContractCase
    private let faultyStep: Int?
    private let state: Mutex<State>

    /// - Parameter faults: the faults that the step returns, in order, before it succeeds.
    init(_ test: ContractCase, failing step: Int? = nil, _ faults: [Fault] = []) {
        self.test = test
        faultyStep = step
        state = Mutex(State(faults: faults))
    }

    var received: [HTTPRequest] { state.withLock { $0.received } }
    var isDone: Bool { state.withLock { $0.next == test.steps.count } }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        if name(of: request) == test.backend.probe { return HTTPResponse(status: 405, body: Array("{}".utf8)) }
        let fault: Fault = state.withLock { state in
            state.received.append(request)
            skipSteps(before: name(of: request), &state)
            guard state.next < test.steps.count, name(of: request) == test.steps[state.next].request else {
                // After a failure, a backend may send more requests, such as a check of the session.
                if !state.hasFailed { Issue.record("\(test.testDescription): unexpected \(name(of: request))") }
                return .failure(TransportError(.connect, "the script has no answer"))
            }
            if state.next == faultyStep, !state.faults.isEmpty {
                state.hasFailed = true
                return state.faults.removeFirst()
            }
            defer { state.next += 1 }
            let step = test.steps[state.next]
            return .success(HTTPResponse(status: step.status, body: Array(step.body.utf8)))
        }
        return try fault.get()
    }

    /// After a failure, a backend may continue with the next step and skip optional steps.
    private func skipSteps(before request: String, _ state: inout State) {
        while state.hasFailed, state.next < test.steps.count, test.steps[state.next].request != request,
            state.next == faultyStep || test.steps[state.next].role == .optional
        {
            state.next += 1
        }
    }

    /// The sample secrets in the URLs, headers and bodies of the requests. If the requests contain a session token, the
    /// result also contains all session tokens of the operation.
    func secretsSent(in requests: [HTTPRequest]) -> [String] {
        let text = requests.map(\.wireText).joined(separator: "\n")
        let sent = ContractSample.secrets.filter(text.contains)
        return sent + (test.sessionTokens.contains { text.contains($0) } ? test.sessionTokens : [])
    }

    private func name(of request: HTTPRequest) -> String {
        let path = request.url.dropFirst(test.backend.base.count + 1).prefix { $0 != "?" }
        return "\(request.method.rawValue) \(path)"
    }
}
