import JSON
internal import Transport

extension ParseRoutes {
    var takesFacebook: Bool { settings.facebook.map { !$0.appIDs.isEmpty } ?? false }

    /// Continues when every claim in `authData` is verified.
    ///
    /// - Parameter translate: maps the error if Facebook rejects the token.
    func verifying(
        _ authData: AuthData, else translate: @escaping (RouteError) -> RouteError = { $0 },
        then: @escaping () throws(RouteError) -> Step
    ) throws(RouteError) -> Step {
        guard let token = authData.facebookToken else { return try then() }
        guard let facebook = settings.facebook, takesFacebook else { throw .refused(.providerUnsupported) }
        let claimed = authData.identities.first { $0.provider == "facebook" }?.id
        return asking(facebook, "/app", token, else: translate) { [self] app throws(RouteError) in
            // Compared exactly: a substring match would accept another app's id.
            guard facebook.appIDs.contains(app) else { throw .refused(.facebookInvalid) }
            return asking(facebook, "/me", token, fields: "id", else: translate) { id throws(RouteError) in
                guard id == claimed else { throw .refused(.facebookInvalid) }
                return try then()
            }
        }
    }

    /// Requests an `id` from the Graph API; without one the login is rejected. Source: Parse Server, `facebook.js`.
    ///
    /// The token is in a header, not in the URL as in Parse, because URLs end up in the logs of servers and proxies.
    private func asking(
        _ facebook: FacebookSettings, _ path: String, _ token: String, fields: String? = nil,
        else translate: @escaping (RouteError) -> RouteError,
        then: @escaping (_ id: String) throws(RouteError) -> Step
    ) -> Step {
        let proof = facebook.appSecret.map { "appsecret_proof=\($0.authenticationCode(of: token))" }
        let query = [fields.map { "fields=\($0)" }, proof].compactMap(\.self).joined(separator: "&")
        let request = HTTPRequest(
            .get, facebook.graphURL + path + (query.isEmpty ? "" : "?\(query)"),
            headers: ["Accept": "application/json", "Authorization": "Bearer \(token)"])
        let job = FetchJob(request, by: facebook.transport, within: facebook.timeLimit)
        return fetching(job) { outcome throws(RouteError) in
            do throws(RouteError) {
                switch GraphResponse(outcome) {
                case .id(let id): return try then(id)
                case .refused: throw .refused(.facebookInvalid)
                case .unreachable: throw .refused(.facebookUnreachable)
                }
            } catch {
                throw translate(error)
            }
        }
    }
}
