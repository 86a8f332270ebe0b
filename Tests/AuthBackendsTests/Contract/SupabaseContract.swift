import CommandTestSupport

@testable import AuthBackends

extension ContractBackend {
    static let supabase: ContractBackend = {
        var contract = ContractBackend(
            name: "Supabase", base: "https://a.example",
            make: { transport, masker in
                SupabaseBackend(
                    endpoints: SupabaseEndpoints(
                        server: "https://a.example", path: "/auth/v1", apiKey: Secret(ContractSample.applicationKey)),
                    server: .replaying(transport, base: "https://a.example", masker))
            },
            session: .restAuthJWT, refreshable: .restAuthJWT, steps: { SupabaseContract(name: $1).steps($0) },
            update: UserChange(fields: ["name": "Ada"]), tokenAfterPasswordChange: nil,
            rejectedSession: [(403, SupabaseSample.error("session_not_found"))],
            rejectedPassword: (400, SupabaseSample.error("invalid_credentials")),
            rejectedCurrentPassword: (1, (400, SupabaseSample.error("invalid_credentials"))),
            rejectedRefreshToken: (400, SupabaseSample.error("refresh_token_not_found")),
            serverFault: (500, SupabaseSample.error("unexpected_failure")),
            errorsRepeating: { status, text in
                [
                    ["code": "validation_failed", "message": text], ["code": text, "message": text],
                    ["code": .integer(Int64(status)), "error_code": text, "msg": text],
                    ["error": text, "error_description": text], ["message": text, "hint": text], [text],
                ]
            })
        contract.identity = IdentityCredential(.google, id: "1002", .idToken(Secret(ContractSample.facebookToken)))
        contract.hasEmailsOnly = true
        contract.uncertain.remove(.refresh)
        contract.repeated.insert(.refresh)
        return contract
    }()
}

enum SupabaseSample {
    static let token = RestAuthSample.jwt(#"{"exp":1700003600,"iat":1700000000,"session_id":"s2","aal":"aal1"}"#)
    static let refreshToken = "sb-refresh-t0ken-2"

    static func error(_ code: String, _ message: String = "No.") -> String {
        #"{"code":"\#(code)","message":"\#(message)"}"#
    }

    static func user(_ name: String = "ada", id: String = "u1", _ more: String = "") -> String {
        let identity = #"{"identity_id":"e1","provider":"facebook","id":"1001"}"#
        return #"{"id":"\#(id)","email":"\#(name)@example.org","identities":[\#(identity)]\#(more)}"#
    }

    static func session(_ user: String = user()) -> String {
        #"{"access_token":"\#(token)","expires_in":3600,"refresh_token":"\#(refreshToken)","user":\#(user)}"#
    }
}

private struct SupabaseContract {
    let name: String

    func steps(_ operation: ContractOperation) -> [ContractStep]? {
        switch operation {
        case .signUp, .logInAnonymously: [step(.main, "POST signup", session)]
        case .logIn, .refresh, .logInWithIdentity: [token(.main)]
        case .secondFactor:
            [
                step(.main, "POST token", SupabaseSample.session(factorUser)),
                step(.followUp, "POST factors/f1/challenge", #"{"id":"c1"}"#),
                step(.followUp, "POST factors/f1/verify", session),
            ]
        case .logInWithToken, .currentUser, .identities: [me(.main)]
        case .logOut: [step(.main, "POST logout", 204, "")]
        case .impersonate:
            [
                step(.check, "GET admin/users", #"{"users":[\#(user)]}"#),
                step(.check, "GET admin/users", #"{"users":[]}"#),
                step(.check, "POST admin/generate_link", #"{"hashed_token":"eph-t0ken-1"}"#),
                step(.main, "POST verify", session),
            ]
        case .changePassword:
            [me(.check), token(.check), step(.optional, "POST logout", 204, ""), step(.main, "PUT user", user)]
        case .sendCode: [step(.main, "POST otp", "{}")]
        case .resetPassword: [step(.main, "POST recover", "{}")]
        case .finishReset: [step(.check, "POST verify", session), step(.main, "PUT user", user)]
        case .sendVerification: [step(.main, "POST resend", "{}"), step(.optional, "POST resend", "{}")]
        case .verifyEmail: [step(.main, "POST verify", session)]
        case .linkIdentity:
            [
                me(.check), step(.check, "GET .well-known/jwks.json", #"{"keys":[]}"#), token(.main),
                step(.optional, "POST logout", 204, ""), me(.optional),
            ]
        case .unlinkIdentity: [me(.check), step(.main, "DELETE user/identities/e1", "{}")]
        case .updateUser: [step(.main, "PUT user", user)]
        case .request: [ContractStep(.main, "POST orders/", user)]
        case .listSessions, .revokeSession, .verifyPassword, .deleteAccount: nil
        }
    }

    private var user: String { SupabaseSample.user(name) }
    private var session: String { SupabaseSample.session(user) }
    private var factorUser: String {
        SupabaseSample.user(name, #","factors":[{"id":"f1","status":"verified","factor_type":"totp"}]"#)
    }

    private func me(_ role: ContractStep.Role) -> ContractStep { step(role, "GET user", user) }
    private func token(_ role: ContractStep.Role) -> ContractStep { step(role, "POST token", session) }

    private func step(
        _ role: ContractStep.Role, _ request: String, _ status: Int, _ body: String
    ) -> ContractStep {
        ContractStep(role, request.replacing(" ", with: " auth/v1/", maxReplacements: 1), status, body)
    }

    private func step(_ role: ContractStep.Role, _ request: String, _ body: String) -> ContractStep {
        step(role, request, 200, body)
    }
}
