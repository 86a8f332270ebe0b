import JSON
internal import Transport

/// Parse routes that do not concern accounts, but that clients request.
extension ParseRoutes {
    /// `GET /config` -> 200, always without parameters.
    func configuration(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        ParseResponses.json(["params": [:]])
    }

    /// `GET /serverInfo`, `GET /schemas` -> 403, because there is no master key.
    func refuseWithoutMasterKey(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        throw .answered(.refusal(403, "unauthorized: master key is required"))
    }

    /// `POST /events/<name>` -> 200 `{}`. Analytics are discarded, as by Parse Server's default adapter.
    func discardEvent(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        ParseResponses.json([:])
    }

    /// `GET /roles` -> 200 `{"results":[]}`: there are no roles, and apps ask for those of a user.
    func listRoles(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        try answer([], try ListQuery(request.options))
    }

    /// Any route of `/classes/<name>` -> 119: there are no classes but users, sessions and installations.
    func refuseClass(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        throw .refused(.classMissing(request.parameters["class"] ?? ""))
    }

    /// `POST /functions/<name>` -> 141: there is no cloud code.
    func refuseFunction(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        throw .refused(.functionMissing(request.parameters["name"] ?? ""))
    }
}
