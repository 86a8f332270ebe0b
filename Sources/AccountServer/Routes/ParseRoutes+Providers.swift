import JSON
internal import Transport

extension ParseRoutes {
    var takesFacebook: Bool { settings.facebook.map { !$0.appIDs.isEmpty } ?? false }

    /// Goes on when everything in `authData` is proved.
    ///
    /// - Parameter translate: what a refusal by Facebook is called here.
    func proving(
        _ authData: AuthData, else translate: @escaping (RouteError) -> RouteError = { $0 },
        then: @escaping () throws(RouteError) -> Step
    ) throws(RouteError) -> Step {
        guard let token = authData.facebookToken else { return try then() }
        guard let facebook = settings.facebook, takesFacebook else { throw .refused(.providerUnsupported) }
        let claimed = authData.identities.first { $0.provider == "facebook" }?.id
        return asking(facebook, "/app", token, else: translate) { app throws(RouteError) in
            // Exactly one of them: an id that only contains another is another app's.
            guard facebook.appIDs.contains(app) else { throw .refused(.facebookInvalid) }
            return asking(facebook, "/me?fields=id", token, else: translate) { id throws(RouteError) in
                guard id == claimed else { throw .refused(.facebookInvalid) }
                return try then()
            }
        }
    }

    /// Asks the Graph for an `id`; without one in the answer the login is refused. Source: Parse Server, `facebook.js`.
    private func asking(
        _ facebook: FacebookSettings, _ path: String, _ token: String,
        else translate: @escaping (RouteError) -> RouteError,
        then: @escaping (_ id: String) throws(RouteError) -> Step
    ) -> Step {
        var url = facebook.graphURL + path + (path.contains("?") ? "&" : "?")
        url += "access_token=\(PercentEncoding.encode(token))"
        if let secret = facebook.appSecret { url += "&appsecret_proof=\(secret.authenticationCode(of: token))" }
        let request = HTTPRequest(.get, url, headers: ["Accept": "application/json"])
        return fetching(FetchJob(request, by: facebook.transport)) { outcome throws(RouteError) in
            do throws(RouteError) { return try then(Self.id(in: outcome)) } catch { throw translate(error) }
        }
    }

    private static func id(in outcome: FetchJob.Outcome) throws(RouteError) -> String {
        // `try?`: an answer that is no JSON is as good as none.
        guard case .answer(let response) = outcome, let answer = try? JSONValue(parsing: response.body) else {
            throw .refused(.facebookUnreachable)
        }
        guard (200...299).contains(response.status), let id = answer["id"]?.string, !id.isEmpty else {
            throw .refused(.facebookInvalid)
        }
        return id
    }
}
