import AuthModel
import CommandTestSupport
import JSON
import Synchronization
import Testing
import Transport

@testable import AuthBackends

/// A backend as the contract sees it: how to make it, what its server answers to each operation, and how that server
/// itself rejects a session, a password or a refresh token.
struct ContractBackend: Sendable, CustomTestStringConvertible {
    typealias Answer = (status: Int, body: String)

    let name: String
    /// The URL that all requests begin with, without a final slash.
    let base: String
    let make: @Sendable (any HTTPTransport) -> any Backend
    /// The session in use.
    let session: Session
    /// A session that the server can refresh; `nil`: sessions of this kind are never refreshed.
    var refreshable: Session?
    /// The steps of an operation for the user with this name; `nil`: the backend cannot do it, or sends no request.
    let steps: @Sendable (ContractOperation, _ username: String) -> [ContractStep]?
    /// Operations that the backend's type declares and that send no request in this mode.
    var withoutRequest: Set<ContractOperation> = []
    /// Whether the requests pass a network, where a gateway can answer in place of the server.
    var hasNetwork = true

    /// The fields of a profile update.
    let update: JSONObject
    /// The session token that a password change returns; `nil`: the session stays valid.
    let tokenAfterPasswordChange: String?
    /// A request that is sent after some errors to find out whether the server is of this kind at all.
    var probe: String?
    /// Further requests after a login that is answered with another user's account.
    var stepsAfterForeignLogin: [ContractStep] = []

    /// How the server says that the session is revoked or expired.
    let rejectedSession: [Answer]
    /// How the server says that name or password of a login are wrong.
    let rejectedPassword: Answer
    /// The step of a password change that checks the current password, and how the server says that it is wrong.
    let rejectedCurrentPassword: (step: Int, answer: Answer)
    var rejectedRefreshToken: Answer?
    /// The server's own report that it failed, in the form of its errors.
    let serverFault: Answer
    /// Errors in the server's form that repeat a text in each of their members.
    let errorsRepeating: @Sendable (_ status: Int, JSONValue) -> [JSONValue]

    /// Operations whose outcome is uncertain if the response is lost.
    var uncertain: Set<ContractOperation> = [
        .signUp, .logInAnonymously, .refresh, .changePassword, .resetPassword, .sendVerification, .verifyEmail,
        .logInWithFacebook, .linkFacebook, .unlinkFacebook, .updateUser,
    ]
    /// Operations that are repeated after a lost response or an overloaded server.
    var repeated: Set<ContractOperation> = [.currentUser, .logInWithToken, .logOut, .listSessions, .facebookStatus]

    var testDescription: String { name }

    static let all: [ContractBackend] = [
        .parse, .local, .restAuthKey, .restAuthJWT, .allauth, .allauthJWT, .kii,
    ]

    /// Those whose type can refresh, also if sessions of this mode have no refresh token.
    static let refreshing: [ContractBackend] = [.restAuthKey, .restAuthJWT, .allauth, .allauthJWT, .kii]
}

/// A request of an operation, with the answer to it.
struct ContractStep: Sendable {
    enum Role {
        /// Must succeed before the operation is done.
        case check
        /// Does what the operation is for.
        case main
        /// Comes after it; if it fails, the operation reports that.
        case followUp
        /// If it fails, the operation succeeds nevertheless.
        case optional
    }

    let role: Role
    /// Method and path below the base URL, without the query: `POST login`.
    let request: String
    let status: Int
    /// `@note@` stands for all secrets that were sent so far.
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

    /// The session that the operation works on.
    var session: Session {
        operation == .refresh ? backend.refreshable ?? backend.session : backend.session
    }

    var mainStep: Int { steps.firstIndex { $0.role == .main } ?? 0 }

    /// The tokens that no response to the operation may show, also those that are not sent.
    var sessionTokens: [String] {
        switch operation {
        case .logInWithToken: [session.token.reveal()]
        case .refresh, .sendVerification, .verifyEmail: session.tokens.compactMap { $0?.reveal() }
        default: operation.usesSession ? session.tokens.compactMap { $0?.reveal() } : []
        }
    }

    /// Runs the operation over a transport as in the program.
    func run(
        _ transport: ContractTransport, login: String = "ada", password: String = ContractSample.password,
        wrapping: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws -> ContractResult {
        let backend = backend.make(wrapping(RedactingTransport(transport)))
        return try operation.run(
            on: backend, of: self.backend, login: login, password: password, session: session)
    }
}

/// Answers the requests of an operation in their order. One step can fail before it is answered.
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

    /// - Parameter faults: what the step fails with, one after the other, before it is answered.
    init(_ test: ContractCase, failing step: Int? = nil, _ faults: [Fault] = []) {
        self.test = test
        faultyStep = step
        state = Mutex(State(faults: faults))
    }

    var received: [HTTPRequest] { state.withLock { $0.received } }
    /// Whether every step was asked for.
    var isDone: Bool { state.withLock { $0.next == test.steps.count } }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        if name(of: request) == test.backend.probe { return HTTPResponse(status: 405, body: Array("{}".utf8)) }
        let fault: Fault = state.withLock { state in
            state.received.append(request)
            skipSteps(before: name(of: request), &state)
            guard state.next < test.steps.count, name(of: request) == test.steps[state.next].request else {
                // After a fault a backend may ask for more, as whether the session is still valid.
                if !state.hasFailed { Issue.record("\(test.testDescription): unexpected \(name(of: request))") }
                return .failure(TransportError(.connect, "the script has no answer"))
            }
            if state.next == faultyStep, !state.faults.isEmpty {
                state.hasFailed = true
                return state.faults.removeFirst()
            }
            defer { state.next += 1 }
            let step = test.steps[state.next]
            let secrets = secretsSent(in: state.received).filter { !ContractSample.applicationKeys.contains($0) }
            let body = step.body.replacing("@note@", with: secrets.joined(separator: " "))
            return .success(HTTPResponse(status: step.status, body: Array(body.utf8)))
        }
        return try fault.get()
    }

    /// After a fault a backend may go on with the next step, and leave out optional ones.
    private func skipSteps(before request: String, _ state: inout State) {
        while state.hasFailed, state.next < test.steps.count, test.steps[state.next].request != request,
            state.next == faultyStep || test.steps[state.next].role == .optional
        {
            state.next += 1
        }
    }

    /// The sample secrets and tokens that requests hold, in any member, header or part of the URL.
    func secretsSent(in requests: [HTTPRequest]) -> [String] {
        let text = requests.map(\.wireText).joined(separator: "\n")
        let sent = ContractSample.secrets.filter { text.contains($0) || isInBasicPair($0, text) }
        return sent + (test.sessionTokens.contains { text.contains($0) } ? test.sessionTokens : [])
    }

    private func isInBasicPair(_ secret: String, _ text: String) -> Bool {
        secret == ContractSample.applicationKey && text.contains(ContractSample.applicationKeys[1])
    }

    private func name(of request: HTTPRequest) -> String {
        let path = request.url.dropFirst(test.backend.base.count + 1).prefix { $0 != "?" }
        return "\(request.method.rawValue) \(path)"
    }
}
