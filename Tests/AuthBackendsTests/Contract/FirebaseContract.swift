import CommandTestSupport

@testable import AuthBackends

extension ContractBackend {
    static let firebase: ContractBackend = {
        var contract = ContractBackend(
            name: "Firebase", base: "https://a.example",
            make: { transport, masker in
                let server = ServerClient.replaying(transport, base: "https://a.example", masker)
                return FirebaseBackend(
                    endpoints: FirebaseEndpoints(
                        server: "https://a.example", apiKey: Secret(ContractSample.applicationKey),
                        project: { "demo-shop" }),
                    server: server, tokens: server)
            },
            session: .restAuthJWT, refreshable: .restAuthJWT, steps: { FirebaseContract(name: $1).steps($0) },
            withoutRequest: [.logOut, .request], update: UserChange(fields: ["displayName": "Ada"]),
            tokenAfterPasswordChange: FirebaseSample.token,
            rejectedSession: ["INVALID_ID_TOKEN", "USER_NOT_FOUND"].map { (400, FirebaseSample.error($0)) },
            rejectedPassword: (400, FirebaseSample.error("INVALID_LOGIN_CREDENTIALS")),
            rejectedCurrentPassword: (1, (400, FirebaseSample.error("INVALID_PASSWORD"))),
            rejectedRefreshToken: (400, FirebaseSample.error("INVALID_REFRESH_TOKEN")),
            serverFault: (500, FirebaseSample.error("INTERNAL_ERROR", 500)),
            errorsRepeating: { status, text in
                [
                    ["error": ["code": .integer(Int64(status)), "message": text]],
                    [
                        "error": [
                            "code": .integer(Int64(status)), "message": .string("WEAK_PASSWORD : \(text.string ?? "")"),
                        ]
                    ],
                    ["error": ["code": .integer(Int64(status)), "message": "x", "status": text]], ["error": text],
                    [text],
                ]
            })
        contract.identity = IdentityCredential(.google, id: "1002", .idToken(Secret(ContractSample.facebookToken)))
        contract.accountFields = ["displayName": "Ada"]
        contract.hasEmailsOnly = true
        contract.uncertain.remove(.refresh)
        return contract
    }()
}

enum FirebaseSample {
    static let token = RestAuthSample.jwt(#"{"exp":1700003600,"iat":1700000000,"aud":"demo-shop","sub":"u1"}"#)
    static let refreshToken = "fb-refresh-t0ken-2"

    static func error(_ message: String, _ status: Int = 400) -> String {
        #"{"error":{"code":\#(status),"message":"\#(message)"}}"#
    }

    static func user(_ name: String = "ada", id: String = "u1", _ more: String = "") -> String {
        let providers = #"{"providerId":"password"},{"providerId":"facebook.com","rawId":"1001"}"#
        return #""localId":"\#(id)","email":"\#(name)@example.org","providerUserInfo":[\#(providers)]\#(more)"#
    }

    static func found(_ user: String = user()) -> String { #"{"users":[{\#(user)}]}"# }

    static func session(_ user: String = user()) -> String {
        #"{\#(user),"idToken":"\#(token)","refreshToken":"\#(refreshToken)","expiresIn":"3600"}"#
    }

    static let refreshed = #"{"id_token":"\#(token)","refresh_token":"\#(refreshToken)","user_id":"u1"}"#
}

private struct FirebaseContract {
    let name: String

    func steps(_ operation: ContractOperation) -> [ContractStep]? {
        switch operation {
        case .signUp, .logInAnonymously: [step(.main, "signUp", session)]
        case .logIn: [step(.main, "signInWithPassword", session)]
        case .logInWithToken, .currentUser, .identities: [me(.main)]
        case .impersonate:
            [
                ContractStep(
                    .check, "POST identitytoolkit.googleapis.com/v1/projects/demo-shop/accounts:lookup", found),
                step(.main, "signInWithCustomToken", session),
            ]
        case .refresh: [ContractStep(.main, "POST securetoken.googleapis.com/v1/token", FirebaseSample.refreshed)]
        case .changePassword: [me(.check), step(.check, "signInWithPassword", session), step(.main, "update", session)]
        case .sendCode, .resetPassword: [step(.main, "sendOobCode", "{}")]
        case .finishReset: [code("PASSWORD_RESET"), step(.main, "resetPassword", "{}")]
        case .sendVerification: [me(.check), step(.main, "sendOobCode", "{}")]
        case .verifyEmail: [code("VERIFY_EMAIL"), step(.main, "update", "{}")]
        case .logInWithIdentity: [step(.main, "signInWithIdp", session)]
        case .linkIdentity: [me(.check), step(.main, "signInWithIdp", session), me(.optional)]
        case .unlinkIdentity: [me(.check), step(.main, "update", "{}"), me(.followUp)]
        case .updateUser: [step(.main, "update", "{\(FirebaseSample.user(name))}")]
        case .deleteAccount: [step(.main, "delete", "{}")]
        case .secondFactor, .logOut, .listSessions, .revokeSession, .verifyPassword, .request: nil
        }
    }

    private var found: String { FirebaseSample.found(FirebaseSample.user(name)) }
    private var session: String { FirebaseSample.session(FirebaseSample.user(name)) }

    private func me(_ role: ContractStep.Role) -> ContractStep { step(role, "lookup", found) }

    private func code(_ type: String) -> ContractStep {
        step(.check, "resetPassword", #"{"requestType":"\#(type)"}"#)
    }

    private func step(_ role: ContractStep.Role, _ verb: String, _ body: String) -> ContractStep {
        ContractStep(role, "POST identitytoolkit.googleapis.com/v1/accounts:\(verb)", body)
    }
}
