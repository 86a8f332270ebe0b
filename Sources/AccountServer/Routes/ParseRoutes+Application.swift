import JSON
internal import Transport

/// Parse routes that clients call, although they do not concern accounts.
extension ParseRoutes {
    /// `GET /config` -> 200 `{"params":{}}`, because the server has no Parse Config parameters.
    func configuration(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        ParseResponses.json(["params": [:]])
    }

    /// `GET /schemas` -> 200 `{"results":[…]}`, the classes of this server, which needs no master key for it. Source of the
    /// form: the exchange `admin.schemas`.
    func listClasses(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        if request.keys.hasMasterKey { throw .noMasterKey }
        func description(_ name: String, _ fields: KeyValuePairs<String, String>) -> JSONValue {
            let shared: KeyValuePairs = ["objectId": "String", "createdAt": "Date", "updatedAt": "Date", "ACL": "ACL"]
            let members = (Array(shared) + Array(fields)).map { field, type in
                let target: JSONValue = ["type": .string(type), "targetClass": "_User"]
                return JSONObject.Member(name: field, value: type == "Pointer" ? target : ["type": .string(type)])
            }
            return ["className": .string(name), "fields": .object(JSONObject(members))]
        }
        let users: KeyValuePairs = [
            "username": "String", "password": "String", "email": "String", "emailVerified": "Boolean",
            "authData": "Object",
        ]
        let sessions: KeyValuePairs = [
            "user": "Pointer", "installationId": "String", "sessionToken": "String", "expiresAt": "Date",
            "createdWith": "Object",
        ]
        return ParseResponses.json(["results": [description("_User", users), description("_Session", sessions)]])
    }

    /// `GET /serverInfo`, `POST /schemas`, `/jobs`, `/push`, `PUT /config` -> 403, because there is no master key.
    /// A request that has one gets error code 108, for a command that is not available.
    func refuseWithoutMasterKey(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        if request.keys.hasMasterKey { throw .noMasterKey }
        throw .answered(.refusal(403, "unauthorized: master key is required"))
    }

    /// `POST /events/<name>` -> 200 `{}`. Analytics are discarded, as by Parse Server's default adapter.
    func discardEvent(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        ParseResponses.json([:])
    }

    /// `POST /installations` -> 201, `objectId`, `createdAt`; `PUT /installations/<id>` -> 200, `updatedAt`; `GET` ->
    /// error code 101. Installations are discarded, because there are no push notifications.
    func discardInstallation(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        let time: JSONValue = .string(now.textWithMilliseconds)
        if request.method == .get { throw .refused(.objectNotFound) }
        if request.method == .put { return ParseResponses.json(["updatedAt": time]) }
        let id = ObjectID.make(from: settings.randomness)
        return ParseResponses.json(["objectId": .string(id), "createdAt": time], status: 201)
    }

    /// `GET /roles` -> 200 `{"results":[]}`. Apps request the roles of a user, but there are no roles.
    func listRoles(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        try answer([], try ListQuery(request.options), request)
    }

    /// Any route of `/classes/<name>` that `Route.classPaths` does not map to another route -> error code 119.
    func refuseClass(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        throw .refused(.missing("classes", code: 119))
    }

    /// `POST /functions/<name>` -> error code 141, because there is no Cloud Code.
    func refuseFunction(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        throw .refused(.missing("functions", code: 141))
    }

    /// Any route of `/files` -> error code 130; `DELETE` -> 153. Source: Parse Server, `FilesRouter.js`.
    func refuseFile(_ request: ParseRequest) throws(RequestError) -> HTTPResponse {
        throw .refused(.missing("files", code: request.method == .delete ? 153 : 130))
    }
}

extension RequestError {
    /// The response to a request with a master key that requires one. Parse Server has no such response.
    static let noMasterKey = answered(
        ParseResponses.json(["code": 108, "error": "authctl serve has no master key; use Parse Server"], status: 403))
}

extension ParseError {
    /// A part of Parse Server that this server lacks. Parse Server has the same codes for what a client may not use.
    fileprivate static func missing(_ what: String, code: Int64) -> ParseError {
        ParseError(code: code, text: "authctl serve has no \(what); use Parse Server")
    }
}
