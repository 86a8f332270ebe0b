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

    /// `POST /installations` -> 201, `objectId`, `createdAt`; `PUT /installations/<id>` -> 200, `updatedAt`; `GET` -> 101.
    /// They are discarded, because there are no push messages.
    func discardInstallation(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        let time: JSONValue = .string(now.textWithMilliseconds)
        if request.method == .get { throw .refused(.objectNotFound) }
        if request.method == .put { return ParseResponses.json(["updatedAt": time]) }
        let id = ObjectID.make(from: settings.randomness)
        return ParseResponses.json(["objectId": .string(id), "createdAt": time], status: 201)
    }

    /// `GET /roles` -> 200 `{"results":[]}`: there are no roles, but apps request the roles of a user.
    func listRoles(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        try answer([], try ListQuery(request.options))
    }

    /// Any route of `/classes/<name>` -> 119: there are no classes but users, sessions and installations.
    func refuseClass(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        throw .refused(
            119, "This user is not allowed to access non-existent class: \(request.parameters["class"] ?? "")")
    }

    /// `POST /functions/<name>` -> 141: there is no cloud code.
    func refuseFunction(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        throw .refused(141, "Invalid function: \"\(request.parameters["name"] ?? "")\"")
    }
}
