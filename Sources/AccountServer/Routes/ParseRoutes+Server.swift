import JSON

/// What is not about accounts, and is asked for nevertheless.
extension ParseRoutes {
    /// `GET /config` -> 200: no parameter was ever set.
    func configuration(_ request: ParseRequest) throws(RouteError) -> Step {
        .answer(ParseAnswer.json(["params": [:]]))
    }

    /// `GET /serverInfo`, `GET /schemas` -> 403: there is no master key.
    func refuseWithoutMasterKey(_ request: ParseRequest) throws(RouteError) -> Step {
        throw .answered(.refusal(403, "unauthorized: master key is required"))
    }
}
