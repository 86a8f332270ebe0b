import CommandTestSupport

@testable import AuthBackends

extension ContractBackend {
    static let pocketbase: ContractBackend = {
        let session = Session(token: Secret("pb-t0ken-1"))
        var contract = ContractBackend(
            name: "PocketBase", base: "https://a.example",
            make: { transport, masker in
                PocketBaseBackend(
                    endpoints: PocketBaseEndpoints(base: "https://a.example", collection: "users"),
                    server: .replaying(transport, base: "https://a.example", masker))
            },
            session: session, refreshable: session, steps: { PocketBaseContract(username: $1).steps($0) },
            withoutRequest: [.logOut], update: UserChange(fields: ["name": "Ada"]),
            tokenAfterPasswordChange: PocketBaseSample.token, rejectedSession: [(401, PocketBaseSample.unauthorized)],
            rejectedPassword: (400, PocketBaseSample.error(400, "Failed to authenticate.")),
            rejectedCurrentPassword: (
                2,
                (
                    400,
                    PocketBaseSample.error(
                        400, "Failed to update record.", "oldPassword", "validation_invalid_old_password")
                )
            ),
            rejectedRefreshToken: (401, PocketBaseSample.unauthorized),
            serverFault: (500, PocketBaseSample.error(500, "Something went wrong while processing your request.")),
            errorsRepeating: { status, text in
                let faults: JSONValue = ["x": ["code": text, "message": text]]
                return [
                    ["data": [:], "message": text, "status": .integer(Int64(status))],
                    ["data": faults, "message": text, "status": .integer(Int64(status))], ["message": text], [text],
                ]
            })
        contract.identity = IdentityCredential(
            .google, .code(Secret(ContractSample.facebookToken), redirectURI: "https://app.example/"))
        contract.signUpStartsSession = false
        contract.uncertain.remove(.refresh)
        return contract
    }()
}

enum PocketBaseSample {
    static let token = RestAuthSample.jwt(#"{"type":"auth","exp":1790000000,"id":"u1","refreshable":true}"#)
    static let unauthorized = error(401, "The request requires valid record authorization token.")

    static func error(_ status: Int, _ message: String, _ field: String? = nil, _ code: String = "") -> String {
        let data = field.map { #""\#($0)":{"code":"\#(code)","message":"No."}"# } ?? ""
        return #"{"data":{\#(data)},"message":"\#(message)","status":\#(status)}"#
    }
}

private struct PocketBaseContract {
    let username: String

    private static let users = "api/collections/users"
    private static let identities = "api/collections/_externalAuths/records"

    func steps(_ operation: ContractOperation) -> [ContractStep]? {
        let users = Self.users
        return switch operation {
        case .signUp: [methods, ContractStep(.main, "POST \(users)/records", record)]
        case .logIn: [ContractStep(.main, "POST \(users)/auth-with-password", session)]
        case .logInWithToken, .currentUser, .refresh: [me(.main)]
        case .impersonate:
            [
                ContractStep(.check, "GET \(users)", #"{"fields":[{"name":"username"}]}"#),
                ContractStep(.check, "GET \(users)/records", #"{"items":[\#(record)]}"#),
                ContractStep(.main, "POST \(users)/impersonate/u1", session),
            ]
        case .changePassword:
            [
                me(.check), methods, ContractStep(.main, "PATCH \(users)/records/u1", record),
                ContractStep(.followUp, "POST \(users)/auth-with-password", session),
            ]
        case .sendCode: [ContractStep(.main, "POST \(users)/request-otp", #"{"otpId":"\#(ContractSample.tokens[4])"}"#)]
        case .resetPassword: [ContractStep(.main, "POST \(users)/request-password-reset", 204, "")]
        case .finishReset: [ContractStep(.main, "POST \(users)/confirm-password-reset", 204, "")]
        case .sendVerification: [ContractStep(.main, "POST \(users)/request-verification", 204, "")]
        case .verifyEmail: [ContractStep(.main, "POST \(users)/confirm-verification", 204, "")]
        case .logInWithIdentity: [ContractStep(.main, "POST \(users)/auth-with-oauth2", session)]
        case .identities: [me(.main), rows(.followUp)]
        case .linkIdentity:
            [me(.check), rows(.check), ContractStep(.main, "POST \(users)/auth-with-oauth2", session), rows(.optional)]
        case .unlinkIdentity:
            [me(.check), rows(.check), ContractStep(.main, "DELETE \(Self.identities)/e1", 204, "")]
        case .updateUser: [ContractStep(.main, "PATCH \(users)/records/u1", record)]
        case .deleteAccount: [ContractStep(.main, "DELETE \(users)/records/u1", 204, "")]
        case .request: [ContractStep(.main, "POST orders/", record)]
        case .logInAnonymously, .secondFactor, .logOut, .listSessions, .revokeSession, .verifyPassword: nil
        }
    }

    private var record: String { #"{"id":"u1","username":"\#(username)","verified":false}"# }
    private var session: String { #"{"token":"\#(PocketBaseSample.token)","record":\#(record)}"# }

    private var methods: ContractStep {
        ContractStep(
            .check, "GET \(Self.users)/auth-methods",
            #"{"password":{"identityFields":["username"],"enabled":true}}"#)
    }

    private func me(_ role: ContractStep.Role) -> ContractStep {
        ContractStep(role, "POST \(Self.users)/auth-refresh", session)
    }

    private func rows(_ role: ContractStep.Role) -> ContractStep {
        ContractStep(
            role, "GET \(Self.identities)", #"{"items":[{"id":"e1","provider":"facebook","providerId":"1001"}]}"#)
    }
}
