package import AuthModel
import JSON
package import Transport

/// Facebook's Graph.
package struct FacebookGraph: FacebookService {
    private let endpoints: GraphEndpoints
    private let transport: any HTTPTransport

    /// - Parameters:
    ///   - url: without a final slash: `https://graph.facebook.com`.
    ///   - version: such as `v21.0`.
    package init(url: String, version: String, transport: any HTTPTransport) {
        endpoints = GraphEndpoints(base: url, version: version)
        self.transport = transport
    }

    package func beginDeviceLogin(_ app: FacebookApp, permissions: [String]) throws(AuthError) -> DeviceCode {
        let payload = try send(endpoints.beginDeviceLogin(app, permissions: permissions), .deviceLogin)
        guard let code = GraphPayloads.deviceCode(payload) else {
            throw AuthError(.brokenAnswer, "Facebook's answer holds no code, or no page to enter it at")
        }
        return code
    }

    /// Decided by the subcode alone: the codes beside it mean other things elsewhere.
    package func progress(of code: DeviceCode, _ app: FacebookApp) throws(AuthError) -> DeviceLoginProgress {
        let request = endpoints.deviceLogin(code.secret, app)
        let response = try answer(to: request)
        let payload = GraphPayloads.object(response)
        switch GraphPayloads.subcode(payload?["error"]?.object) {
        case 1_349_174: return .pending
        case 1_349_172: return .askedTooSoon
        case 1_349_173: return .declined
        case 1_349_152: return .runOut
        default: break
        }
        let answer = try GraphErrors.check(response, payload, to: request, .deviceLogin)
        guard let token = Secret(token: answer["access_token"]) else {
            // There is no second one: whoever asks again is told that the code is used.
            var error = AuthError(.brokenAnswer, "Facebook's answer holds no token")
            error.isAfterSuccess = true
            throw error
        }
        return .done(token: token)
    }

    package func appID(of token: Secret) throws(AuthError) -> String {
        guard let id = try send(endpoints.app(token), .token)["id"]?.identifier else {
            throw AuthError(.brokenAnswer, "Facebook's answer names no app")
        }
        return id
    }

    package func profile(of token: Secret) throws(AuthError) -> FacebookProfile {
        guard let profile = GraphPayloads.profile(try send(endpoints.profile(token), .token)) else {
            throw AuthError(.brokenAnswer, "Facebook's answer names nobody")
        }
        return profile
    }

    package func claims(of idToken: Secret) throws(AuthError) -> FacebookClaims {
        guard let content = WebToken.content(of: idToken), let claims = GraphPayloads.claims(content) else {
            throw AuthError(
                .usage, "what is given is no ID token of Facebook's",
                hint: "is it an access token? give that with --token-stdin or --token-file")
        }
        return claims
    }

    package func withdrawPermissions(_ token: Secret) throws(AuthError) {
        let request = endpoints.withdrawPermissions(token)
        let doubt = "the permissions may be withdrawn: look at 'Apps and websites' in the settings at Facebook"
        let response = try answer(to: request, doubt: doubt)
        // `try?`: what is no JSON says nothing of the kind.
        let answer = try? JSONValue(parsing: response.body)
        if (200..<300).contains(response.status), answer == true || answer?["success"] == true { return }
        _ = try GraphErrors.check(response, answer?.object, to: request, .token)
        throw AuthError(.brokenAnswer, "Facebook's answer does not say that it withdrew the permissions", hint: doubt)
    }

    private func send(_ request: HTTPRequest, _ call: GraphErrors.Call) throws(AuthError) -> JSONObject {
        let response = try answer(to: request)
        return try GraphErrors.check(response, GraphPayloads.object(response), to: request, call)
    }

    /// Where Facebook seems to send on, that is no new place for an account server.
    private func answer(to request: HTTPRequest, doubt: String? = nil) throws(AuthError) -> HTTPResponse {
        do throws(AuthError) {
            return try transport.answer(to: request, doubt: doubt)
        } catch {
            guard error.reason == .redirect else { throw error }
            throw AuthError(.redirect, error.message, hint: "Facebook does not do that: is a gateway on the way to it?")
        }
    }
}
