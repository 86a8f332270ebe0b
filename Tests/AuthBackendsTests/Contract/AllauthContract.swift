import CommandTestSupport

@testable import AuthBackends

extension ContractBackend {
    static let allauth = allauth(isJWT: false)
    static let allauthJWT = allauth(isJWT: true)

    private static func allauth(isJWT: Bool) -> ContractBackend {
        let session = isJWT ? Session.allauthJWT : Session(token: Secret("s3ssion-1"))
        var contract = ContractBackend(
            name: isJWT ? "allauth with JWTs" : "allauth", base: AllauthSample.base,
            make: { transport, masker in
                AllauthBackend(
                    endpoints: AllauthEndpoints(base: AllauthSample.base),
                    server: .replaying(transport, base: AllauthSample.base, masker))
            },
            session: session, steps: { AllauthContract(username: $1, isJWT: isJWT).steps($0) },
            update: UserChange(email: "ada@example.org"), tokenAfterPasswordChange: "s3ssion-2",
            rejectedSession: [(410, AllauthSample.dead)],
            rejectedPassword: (400, AllauthSample.fault("username_password_mismatch", "password")),
            rejectedCurrentPassword: (1, (400, AllauthSample.fault("enter_current_password", "current_password"))),
            rejectedRefreshToken: (400, #"{"status":400}"#), serverFault: (500, #"{"status":500}"#),
            errorsRepeating: { status, text in
                let fault: JSONValue = ["message": text, "code": text, "param": text]
                let meta: JSONValue = ["is_authenticated": false]
                return [
                    ["status": .integer(Int64(status)), "errors": [fault], "meta": meta],
                    [
                        "status": .integer(Int64(status)), "data": ["flows": [["id": text, "is_pending": true]]],
                        "meta": meta,
                    ],
                    [text],
                ]
            })
        contract.uncertain.insert(.revokeSession)
        contract.requestPath = "\(URLParts(AllauthSample.base)?.path ?? "")/orders/"
        if isJWT { contract.refreshable = session } else { contract.withoutRequest = [.refresh] }
        return contract
    }
}

private struct AllauthContract {
    let username: String
    let isJWT: Bool

    private func done(token: String? = nil) -> String {
        let user = #"{"id":7,"display":"ada","username":"\#(username)"}"#
        let member = token.map { #","session_token":"\#($0)""# } ?? ""
        return #"{"status":200,"data":{"user":\#(user)},"meta":{"is_authenticated":true\#(member)}}"#
    }

    func steps(_ operation: ContractOperation) -> [ContractStep]? {
        switch operation {
        case .signUp: [ContractStep(.main, "POST auth/signup", done(token: "s3ssion-2"))]
        case .logIn: [ContractStep(.main, "POST auth/login", done(token: "s3ssion-2"))]
        case .logInWithToken, .currentUser: [me(.main)]
        case .secondFactor:
            [
                ContractStep(
                    .check, "POST auth/login", 401, AllauthSample.pending("mfa_authenticate", token: "p3nding-1")),
                ContractStep(.main, "POST auth/2fa/authenticate", done(token: "s3ssion-2")),
            ]
        case .logOut:
            (isJWT ? [me(.check)] : []) + [ContractStep(.main, "DELETE auth/session", 401, AllauthSample.notLoggedIn)]
        case .refresh: isJWT ? [ContractStep(.main, "POST tokens/refresh", Self.refreshed)] : nil
        case .listSessions: [ContractStep(.main, "GET auth/sessions", #"{"status":200,"data":[]}"#)]
        case .revokeSession: [ContractStep(.main, "DELETE auth/sessions", #"{"status":200,"data":[]}"#)]
        case .changePassword:
            [me(.check), ContractStep(.main, "POST account/password/change", done(token: "s3ssion-2"))]
        case .sendCode:
            [
                ContractStep(
                    .main, "POST auth/code/request", 401, AllauthSample.pending("login_by_code", token: "p3nding-1"))
            ]
        case .resetPassword: [ContractStep(.main, "POST auth/password/request", #"{"status":200}"#)]
        case .finishReset:
            [
                ContractStep(
                    .main, "POST auth/password/reset", 401, #"{"status":401,"meta":{"is_authenticated":false}}"#)
            ]
        case .sendVerification:
            [
                ContractStep(.check, "GET account/email", #"{"status":200,"data":[]}"#),
                ContractStep(.main, "PUT account/email", #"{"status":200}"#),
            ]
        case .verifyEmail: [ContractStep(.main, "POST auth/email/verify", #"{"status":200}"#)]
        case .logInWithIdentity: [site, ContractStep(.main, "POST auth/provider/token", done(token: "s3ssion-2"))]
        case .identities: [me(.check), providers(.main)]
        case .linkIdentity:
            [providers(.check), site, ContractStep(.main, "POST auth/provider/token", done()), providers(.optional)]
        case .unlinkIdentity:
            [
                me(.check), providers(.check),
                ContractStep(.main, "DELETE account/providers", #"{"status":200,"data":[]}"#),
            ]
        case .updateUser: [ContractStep(.main, "POST account/email", #"{"status":200,"data":[]}"#), me(.followUp)]
        case .request: [ContractStep(.main, "POST orders/", 201, done())]
        case .impersonate, .logInAnonymously, .verifyPassword, .deleteAccount: nil
        }
    }

    private static let refreshed =
        #"{"status":200,"data":{"access_token":"\#(AllauthSample.access2)","refresh_token":"\#(AllauthSample.refresh2)"}}"#

    private var site: ContractStep { ContractStep(.check, "GET config", AllauthSample.site) }

    private func me(_ role: ContractStep.Role) -> ContractStep { ContractStep(role, "GET auth/session", done()) }

    private func providers(_ role: ContractStep.Role) -> ContractStep {
        let row = #"{"uid":"1001","provider":{"id":"facebook"},"display":"x"}"#
        return ContractStep(role, "GET account/providers", #"{"status":200,"data":[\#(row)]}"#)
    }
}
