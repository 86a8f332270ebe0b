import CommandTestSupport

@testable import AuthBackends

extension ContractBackend {
    static let parse = parse(isLocal: false)
    /// Local accounts: the Parse backend with the embedded server.
    static let local = parse(isLocal: true)

    private static func parse(isLocal: Bool) -> ContractBackend {
        let session = Session(token: Secret("r:t0ken-1"))
        var contract = ContractBackend(
            name: isLocal ? "local accounts" : "Parse", base: "https://a.example/parse",
            make: { transport, masker in
                ParseBackend(
                    endpoints: ParseEndpoints(
                        base: "https://a.example/parse", appID: "app",
                        clientKey: Secret(ContractSample.applicationKey)),
                    server: .replaying(transport, base: "https://a.example/parse", masker),
                    isEmbedded: isLocal)
            },
            session: session, steps: { ParseContract(username: $1, isLocal: isLocal).steps($0) },
            update: UserChange(fields: ["name": "Ada L"]), tokenAfterPasswordChange: "r:new-t0ken",
            rejectedSession: [(400, #"{"code":209,"error":"Invalid session token"}"#)],
            rejectedPassword: (404, #"{"code":101,"error":"Invalid username/password."}"#),
            rejectedCurrentPassword: (1, (404, #"{"code":101,"error":"Invalid username/password."}"#)),
            serverFault: (500, #"{"code":1,"message":"Internal server error."}"#),
            errorsRepeating: { _, text in
                [["code": 4242, "error": text], ["code": 1, "message": text], ["error": text], [text]]
            })
        contract.hasNetwork = !isLocal
        contract.stepsAfterForeignLogin = [ContractStep(.optional, "POST logout", "{}")]
        if isLocal {
            contract.uncertain.remove(.verifyEmail)
            contract.repeated.insert(.verifyEmail)
        } else {
            contract.withoutRequest = [.verifyEmail]
        }
        return contract
    }
}

private struct ParseContract {
    let username: String
    let isLocal: Bool

    private var user: String { #""objectId":"u1","username":"\#(username)""# }
    /// A server may echo the new token in other members.
    private let token = #""sessionToken":"r:new-t0ken","repeated":"x r:new-t0ken x""#

    func steps(_ operation: ContractOperation) -> [ContractStep]? {
        switch operation {
        case .signUp:
            [ContractStep(.main, "POST users", 201, #"{"objectId":"u1",\#(token)}"#)] + sessionRow
                + [me(.optional)]
        case .logIn, .secondFactor: [ContractStep(.main, "POST login", "{\(user),\(token)}")] + sessionRow
        case .impersonate:
            [ContractStep(.check, "GET users", #"{"results":[{\#(user)}]}"#)]
                + (isLocal ? [] : [ContractStep(.check, "GET roles", #"{"results":[]}"#)])
                + [ContractStep(.main, "POST loginAs", "{\(user),\(token)}")] + sessionRow
        case .logInWithToken: [me(.main)] + sessionRow
        case .logInAnonymously:
            [ContractStep(.main, "POST users", 201, "{\(user),\(token)}")] + sessionRow
        case .currentUser, .identities: [me(.main)]
        case .logOut: [ContractStep(.main, "POST logout", "{}")]
        case .listSessions:
            [
                ContractStep(.check, "GET sessions/me", #"{"objectId":"s1"}"#),
                ContractStep(.main, "GET sessions", #"{"results":[{"objectId":"s1"}]}"#),
                ContractStep(.check, "GET sessions", #"{"results":[]}"#),
            ]
        case .revokeSession: [ContractStep(.main, "DELETE sessions/4", "{}")]
        case .verifyPassword: [me(.check), check(.main)]
        case .changePassword:
            [
                me(.check), check(.check), ContractStep(.main, "PUT users/u1", "{\(token)}"),
            ] + sessionRow
        case .resetPassword: [ContractStep(.main, "POST requestPasswordReset", "{}")]
        case .finishReset:
            [ContractStep(.main, "POST apps/app/request_password_reset", #""Password successfully reset""#)]
        case .sendVerification: [ContractStep(.main, "POST verificationEmailRequest", "{}")]
        case .verifyEmail: isLocal ? [ContractStep(.main, "GET apps/app/verify_email", "<html>")] : nil
        case .logInWithIdentity: [ContractStep(.main, "POST users", "{\(user),\(token)}")] + sessionRow
        // The first response has no `authData`. A remote server may hide it, so the backend requests the user again.
        case .linkIdentity: [me(.check), ContractStep(.main, "PUT users/u1", "{}")] + (isLocal ? [] : [me(.optional)])
        case .unlinkIdentity: [me(.check), ContractStep(.main, "PUT users/u1", "{}")]
        case .updateUser: [ContractStep(.main, "PUT users/u1", "{}")]
        case .deleteAccount: [ContractStep(.main, "DELETE users/u1", "{}")]
        case .request: [ContractStep(.main, "POST orders/", 201, "{\(user)}")]
        case .sendCode, .refresh: nil
        }
    }

    /// The request that checks the current password.
    private func check(_ role: ContractStep.Role) -> ContractStep {
        ContractStep(role, "POST verifyPassword", "{\(user)}")
    }

    private func me(_ role: ContractStep.Role) -> ContractStep { ContractStep(role, "GET users/me", "{\(user)}") }

    /// The request for the id of a new session. The backend sends this request only for local accounts.
    private var sessionRow: [ContractStep] {
        isLocal ? [ContractStep(.optional, "GET sessions/me", #"{"objectId":"s1"}"#)] : []
    }
}
