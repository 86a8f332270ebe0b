internal import Platform
internal import Transport

extension ParseRoutes {
    var acceptedProviders: AcceptedProviders {
        if settings.acceptsUnsignedProofs { return .unsigned }
        return settings.facebook?.appIDs.isEmpty == false ? .facebook : .anonymous
    }

    /// Verifies the identity claims that a provider must check. Error codes: 101, 141, 252.
    func verify(_ authData: AuthData) throws(RequestError) {
        for claim in authData.claims {
            guard let token = claim.facebookToken else { continue }
            guard let facebook = settings.facebook else { throw .refused(.providerUnsupported) }
            // Compare the whole id, because a substring match would accept another app's id.
            guard facebook.appIDs.contains(try id(facebook, "/app", token)),
                try id(facebook, "/me", token, fields: "id") == claim.identity.id
            else { throw .refused(.facebookInvalid) }
        }
    }

    /// Requests the `id` of the app or the user from the Graph API. Source: Parse Server, `facebook.js`.
    ///
    /// The token is in a header, not in the URL as in Parse, because servers and proxies write URLs to logs.
    private func id(
        _ facebook: FacebookSettings, _ path: String, _ token: String, fields: String? = nil
    ) throws(RequestError) -> String {
        let proof = facebook.appSecret.map { "appsecret_proof=\($0.authenticationCode(of: token))" }
        let query = [fields.map { "fields=\($0)" }, proof].compactMap(\.self).joined(separator: "&")
        var request = HTTPRequest(
            .get, facebook.graphURL + path + (query.isEmpty ? "" : "?\(query)"),
            headers: ["Accept": "application/json", "Authorization": "Bearer \(token)"])
        let deadline = monotonicNow() + facebook.timeLimit
        // `try?`: every failed request to Facebook results in the same error, `facebookUnreachable`.
        func fetch() -> HTTPResponse? {
            request.timeLimit = deadline - monotonicNow()
            return monotonicNow() < deadline ? try? facebook.transport.send(request) : nil
        }
        let response = if let limits = settings.limits { limits.fetching.run(fetch) ?? nil } else { fetch() }
        switch GraphResponse(response) {
        case .id(let id): return id
        case .refused: throw .refused(.facebookInvalid)
        case .unreachable: throw .refused(.facebookUnreachable)
        }
    }
}
