package import AuthModel
import JSON
package import Platform
package import Transport

package struct FacebookGraph: FacebookService {
    /// The base URL without a trailing slash.
    package static let standardURL = "https://graph.facebook.com"

    private let endpoints: GraphEndpoints
    private let transport: any HTTPTransport
    private let masker: Masker

    /// - Parameters:
    ///   - url: the base URL without a trailing slash. If it is not `standardURL`, the page of a device login may be on
    ///     any host.
    ///   - version: the version of the Graph API, as in `BackendSetting.facebookGraphVersion`.
    package init(
        url: String = Self.standardURL, version: String, transport: any HTTPTransport, masker: Masker = Masker()
    ) {
        endpoints = GraphEndpoints(base: url, version: version)
        self.transport = transport
        self.masker = masker
    }

    package func beginDeviceLogin(_ app: FacebookApp, permissions: [String]) throws(BackendError) -> DeviceCode {
        let payload = try send(endpoints.beginDeviceLogin(app, permissions: permissions), .logInDevice)
        guard let code = GraphPayloads.deviceCode(payload, masker) else {
            throw BackendError(.invalidResponse, "Facebook's response lacks the code or its page")
        }
        guard endpoints.base != Self.standardURL || GraphPayloads.isOfFacebook(code.verificationURL) else {
            throw BackendError(.invalidResponse, "the page for the code is not on facebook.com")
        }
        return code
    }

    /// Only the error subcode shows the progress, because the error code has other meanings as well.
    package func progress(of code: DeviceCode, _ app: FacebookApp) throws(BackendError) -> DeviceLoginProgress {
        let request = endpoints.deviceLogin(code.secret, app)
        let response = try response(to: request, .logInDevice)
        switch response.http.json?["error"]?["error_subcode"]?.integer {
        case 1_349_174: return .pending
        case 1_349_172: return .slowDown
        case 1_349_173: return .declined
        case 1_349_152: return .expired
        default: break
        }
        let answer = try GraphErrors.check(response)
        guard let token = Secret(token: answer["access_token"], masker) else {
            // The token cannot be requested again, because the device code can be used only once.
            var error = BackendError(.invalidResponse, "Facebook's response has no token")
            error.isAfterSuccess = true
            throw error
        }
        return .done(token: token)
    }

    package func appID(of token: Secret) throws(BackendError) -> String {
        guard let id = try send(endpoints.app(token), .inspectToken)["id"]?.identifier else {
            throw BackendError(.invalidResponse, "Facebook's response names no app")
        }
        return id
    }

    package func profile(of token: Secret) throws(BackendError) -> IdentityProfile {
        guard let profile = GraphPayloads.profile(try send(endpoints.profile(token), .inspectToken)) else {
            throw BackendError(.invalidResponse, "Facebook's response names no user")
        }
        return profile
    }

    package func revokePermissions(_ token: Secret) throws(BackendError) {
        let request = endpoints.revokePermissions(token)
        let response = try response(to: request, .revokePermissions)
        let isDone = response.http.json == true || response.http.json?["success"] == true
        if response.isSuccess, isDone { return }
        _ = try GraphErrors.check(response)
        throw BackendError(
            .invalidResponse, "Facebook's response does not confirm that the permissions were revoked",
            nextSteps: Operation.revokePermissions.stepsToCheck)
    }

    private func send(_ request: HTTPRequest, _ operation: Operation) throws(BackendError) -> JSONObject {
        try GraphErrors.check(try response(to: request, operation))
    }

    private func response(to request: HTTPRequest, _ operation: Operation) throws(BackendError) -> ServerResponse {
        let response = try transport.response(to: request, operation)
        // The time has no effect: it is used only for `Retry-After`, which `GraphErrors` ignores.
        return ServerResponse(response, to: request, operation, at: Instant(seconds: 0), masker)
    }
}
