import CommandTestSupport

@testable import AuthBackends

extension ContractBackend {
    static let kii: ContractBackend = {
        let session = Session(
            token: Secret("k11-token-1"), refreshToken: Secret("k11-refresh-1"), id: "5", createdAt: .sampleStart,
            expiresAt: .sampleStart)
        var contract = ContractBackend(
            name: "Kii Cloud", base: "https://a.example/api/apps/app1",
            make: { transport, masker in
                KiiBackend(
                    endpoints: KiiEndpoints(
                        site: "https://a.example/api", appID: "app1", appKey: Secret(ContractSample.applicationKey)),
                    server: .replaying(transport, base: "https://a.example/api", masker))
            },
            session: session, refreshable: session, steps: { KiiContract(username: $1).steps($0) },
            withoutRequest: [.logOut], update: UserChange(fields: ["name": "Ada"]),
            tokenAfterPasswordChange: "k11-token-2",
            rejectedSession: [(403, KiiSample.error("WRONG_TOKEN")), (401, KiiSample.error("UNAUTHORIZED"))],
            rejectedPassword: (400, KiiSample.oauth("invalid_grant")),
            rejectedCurrentPassword: (1, (401, KiiSample.error("WRONG_PASSWORD"))),
            rejectedRefreshToken: (403, KiiSample.error("WRONG_REFRESH_TOKEN")),
            serverFault: (500, KiiSample.error("UNDEFINED_ERROR")),
            errorsRepeating: { _, text in
                [
                    ["errorCode": "INVALID_INPUT_DATA", "message": text, "field": text, "value": text],
                    ["errorCode": text, "message": text],
                    ["errorCode": "USER_ALREADY_EXISTS", "field": text, "message": text],
                    ["errorCode": "x", "error": text, "error_description": text], ["message": text], [text],
                ]
            })
        contract.requestPath = "/apps/app1/orders/"
        return contract
    }()
}

private struct KiiContract {
    let username: String

    private static let pair =
        #"{"id":"u-1","access_token":"k11-token-2","expires_in":3600,"refresh_token":"k11-refresh-2"}"#

    func steps(_ operation: ContractOperation) -> [ContractStep]? {
        switch operation {
        case .signUp, .logInAnonymously:
            [
                ContractStep(
                    .main, "POST users", 201,
                    #"{"userID":"u-1","_accessToken":"k11-token-2"}"#)
            ]
        case .logIn: [ContractStep(.main, "POST oauth2/token", Self.pair), me(.optional)]
        case .logInWithToken, .currentUser, .identities: [me(.main)]
        case .refresh: [ContractStep(.main, "POST oauth2/token", Self.pair)]
        case .changePassword:
            [
                me(.check), ContractStep(.main, "PUT users/me/password", 204, ""),
                ContractStep(.followUp, "POST oauth2/token", Self.pair),
            ]
        case .resetPassword:
            [ContractStep(.main, "POST users/EMAIL:ada%40example.org/password/request-reset", 204, "")]
        case .finishReset:
            [ContractStep(.main, "POST users/EMAIL:ada%40example.org/password/complete-reset", 204, "")]
        case .sendVerification: [ContractStep(.main, "POST users/me/email-address/resend-verification", 204, "")]
        case .verifyEmail: [ContractStep(.main, "POST users/me/email-address/verify", "{}")]
        case .logInWithIdentity: [ContractStep(.main, "POST integration/facebook", Self.pair), me(.optional)]
        case .linkIdentity: [me(.check), ContractStep(.main, "POST users/me/facebook/link", 204, ""), me(.followUp)]
        case .unlinkIdentity:
            [me(.check), ContractStep(.main, "POST users/me/facebook/unlink", 204, ""), me(.followUp)]
        case .request: [ContractStep(.main, "POST orders/", 201, #"{"objectID":"o-1"}"#)]
        case .updateUser: [me(.check), ContractStep(.main, "POST users/me", #"{"modifiedAt":1340725385432}"#)]
        case .deleteAccount: [ContractStep(.main, "DELETE users/me", 204, "")]
        case .logOut, .secondFactor, .sendCode, .impersonate, .listSessions, .revokeSession, .verifyPassword: nil
        }
    }

    private func me(_ role: ContractStep.Role) -> ContractStep {
        ContractStep(role, "GET users/me", #"{"userID":"u-1","loginName":"\#(username)"}"#)
    }
}
