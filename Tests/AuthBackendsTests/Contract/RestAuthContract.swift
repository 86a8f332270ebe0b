import CommandTestSupport

@testable import AuthBackends

extension ContractBackend {
    static let restAuthKey = restAuth(isJWT: false)
    static let restAuthJWT = restAuth(isJWT: true)

    private static func restAuth(isJWT: Bool) -> ContractBackend {
        let session = isJWT ? Session.restAuthJWT : Session(token: Secret("0a1b-key-1"))
        var contract = ContractBackend(
            name: isJWT ? "rest-auth with JWTs" : "rest-auth with keys", base: "https://a.example/auth",
            make: { transport, masker in
                RestAuthBackend(
                    endpoints: RestAuthEndpoints(base: "https://a.example/auth"),
                    server: .replaying(transport, base: "https://a.example/auth", masker))
            },
            session: session, steps: { RestAuthContract(username: $1, isJWT: isJWT).steps($0) },
            update: UserChange(fields: ["first_name": "Ada"]), tokenAfterPasswordChange: nil,
            rejectedSession: [
                (401, #"{"detail":"Invalid token."}"#),
                (403, #"{"detail":"Authentication credentials were not provided."}"#),
            ],
            rejectedPassword: (400, #"{"non_field_errors":["Unable to log in with provided credentials."]}"#),
            rejectedCurrentPassword: (
                1, (400, #"{"non_field_errors":["Unable to log in with provided credentials."]}"#)
            ),
            rejectedRefreshToken: (401, #"{"detail":"Token is blacklisted","code":"token_not_valid"}"#),
            serverFault: (500, #"{"detail":"A server error occurred."}"#),
            errorsRepeating: { _, text in
                [
                    ["detail": text, "code": text], ["non_field_errors": [text]],
                    ["password1": [text], "email": ["x": text]], [text],
                ]
            })
        contract.probe = "GET login/"
        contract.requestPath = "/auth/orders/"
        contract.uncertain.remove(.updateUser)
        contract.repeated.insert(.updateUser)
        if isJWT { contract.refreshable = session } else { contract.withoutRequest = [.refresh] }
        return contract
    }
}

private struct RestAuthContract {
    let username: String
    let isJWT: Bool

    private var user: String {
        #"{"pk":7,"username":"\#(username)","email":"ada@example.org","first_name":""}"#
    }

    private let identities = #"[{"id":3,"provider":"facebook","uid":"1001"}]"#

    func steps(_ operation: ContractOperation) -> [ContractStep]? {
        switch operation {
        case .signUp: [ContractStep(.main, "POST registration/", 201, grant)] + owner
        case .logIn: [ContractStep(.main, "POST login/", grant)] + owner
        case .logInWithToken, .currentUser: [me(.main)]
        case .secondFactor:
            [
                ContractStep(.check, "POST login/", #"{"ephemeral_token":"eph-t0ken-1","mfa_required":true}"#),
                ContractStep(.main, "POST mfa/verify/", grant),
            ] + owner
        case .logOut:
            [
                ContractStep(.main, "POST logout/", #"{"detail":"Successfully logged out."}"#),
                isJWT
                    ? ContractStep(.followUp, "POST logout/", 401, #"{"detail":"Token is blacklisted"}"#)
                    : ContractStep(.followUp, "GET user/", 401, #"{"detail":"Invalid token."}"#),
            ]
        case .refresh:
            isJWT
                ? [
                    ContractStep(
                        .main, "POST token/refresh/",
                        #"{"access":"\#(RestAuthSample.otherAccess)","refresh":"\#(RestAuthSample.otherRefresh)"}"#)
                ] : nil
        case .changePassword:
            [me(.check), ContractStep(.check, "POST login/", grant)] + logOutOfGrant
                + [ContractStep(.main, "POST password/change/", #"{"detail":"ok"}"#), me(.optional)]
        case .resetPassword: [ContractStep(.main, "POST password/reset/", #"{"detail":"ok"}"#)]
        case .finishReset: [ContractStep(.main, "POST password/reset/confirm/", #"{"detail":"ok"}"#)]
        case .sendVerification: [ContractStep(.main, "POST registration/resend-email/", #"{"detail":"ok"}"#)]
        case .verifyEmail: [ContractStep(.main, "POST registration/verify-email/", #"{"detail":"ok"}"#)]
        case .logInWithIdentity: [ContractStep(.main, "POST facebook/", grant)] + owner
        case .identities: [list(.check), me(.main)]
        case .linkIdentity:
            [me(.check), list(.check), ContractStep(.main, "POST facebook/connect/", grant)] + logOutOfGrant
                + [list(.optional)]
        case .unlinkIdentity:
            [me(.check), list(.check), ContractStep(.main, "POST socialaccounts/3/disconnect/", "{}")]
        case .updateUser: [ContractStep(.main, "PATCH user/", user)]
        case .request: [ContractStep(.main, "POST orders/", 201, user)]
        case .sendCode, .impersonate, .listSessions, .revokeSession, .logInAnonymously, .verifyPassword, .deleteAccount:
            nil
        }
    }

    /// The JWTs or the key in a login response. The key is the same for all logins of a user.
    private var grant: String {
        isJWT
            ? #"{"access":"\#(RestAuthSample.otherAccess)","refresh":"\#(RestAuthSample.otherRefresh)","user":\#(user)}"#
            : #"{"key":"0a1b-key-1"}"#
    }

    /// The request for the user after a login, which shows whether the site accepts the token.
    private var owner: [ContractStep] { [me(.optional)] }

    private var logOutOfGrant: [ContractStep] { isJWT ? [ContractStep(.optional, "POST logout/", "{}")] : [] }

    private func me(_ role: ContractStep.Role) -> ContractStep { ContractStep(role, "GET user/", user) }

    private func list(_ role: ContractStep.Role) -> ContractStep {
        ContractStep(role, "GET socialaccounts/", identities)
    }
}
