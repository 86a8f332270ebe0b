import JSON
internal import Platform
internal import Transport

extension ParseRoutes {
    private static let reservedFields: Set<String> = ["objectId", "createdAt", "updatedAt"]

    /// Bytes of JSON. Every client may save installations, so each must stay small.
    private static let largestInstallation = 16 << 10

    /// `POST /installations` with `deviceType` and `installationId` -> 201, `objectId`, `createdAt`; 105, 107, 108, 111,
    /// 116, 135. The same `installationId` again updates the installation: 200, also with `updatedAt`.
    func createInstallation(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        let sent = request.body["installationId"]?.string?.ifNotEmpty ?? request.installationID
        guard let id = sent?.lowercased() ?? request.body["deviceToken"]?.string?.ifNotEmpty else {
            throw .refused(.installationIDMissing)
        }
        let known = installations.row(installationID: id)
        guard known != nil || request.body["deviceType"]?.string?.isEmpty == false else {
            throw .refused(.deviceTypeMissing)
        }
        let new = Installations.Row(
            id: ObjectID.make(from: settings.randomness), createdAt: now, updatedAt: now, fields: [:])
        var (row, results) = try changed(known ?? new, request.body, isNew: known == nil)
        row.fields["installationId"] = .string(id)
        installations.save(row)
        var answer: JSONObject = [
            "objectId": .string(row.id), "createdAt": .string(row.createdAt.textWithMilliseconds),
        ]
        if known != nil { answer["updatedAt"] = .string(row.updatedAt.textWithMilliseconds) }
        answer.members += results.members
        return ParseResponses.json(answer, status: known == nil ? 201 : 200)
    }

    /// `PUT /installations/<id>` -> 200, `updatedAt` and the results of operations; 105, 107, 108, 111, 116.
    ///
    /// An unknown installation, which an earlier run of the server may have created, is created.
    func updateInstallation(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        let known = installations.row(id: request.pathID)
        let new = Installations.Row(id: request.pathID, createdAt: now, updatedAt: now, fields: [:])
        let (row, results) = try changed(known ?? new, request.body, isNew: known == nil)
        installations.save(row)
        var answer: JSONObject = ["updatedAt": .string(row.updatedAt.textWithMilliseconds)]
        answer.members += results.members
        return ParseResponses.json(answer)
    }

    private func changed(
        _ row: Installations.Row, _ body: JSONObject, isNew: Bool
    ) throws(RouteError) -> (row: Installations.Row, results: JSONObject) {
        var row = row
        row.updatedAt = now
        let (fields, results) = try FieldChanges(body, except: Self.reservedFields)
            .applied(to: isNew ? nil : row.fields, className: "_Installation")
        guard JSONValue.object(fields).bytes.count <= Self.largestInstallation else {
            throw .refused(.installationTooLarge)
        }
        row.fields = fields
        return (row, results)
    }

    /// `GET /installations/<id>` -> 200, the installation; 101, 102.
    func installation(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        let selection = try FieldSelection(request.options)
        guard let row = installations.row(id: request.pathID) else { throw .refused(.objectNotFound) }
        var object: JSONObject = [
            "objectId": .string(row.id), "createdAt": .string(row.createdAt.textWithMilliseconds),
            "updatedAt": .string(row.updatedAt.textWithMilliseconds),
        ]
        object.members += row.fields.members
        return ParseResponses.json(selection.selected(from: object))
    }

    /// `GET /installations` -> 119, as in Parse without the master key.
    func listInstallations(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        throw .refused(.installationsClosed(to: "find"))
    }

    /// `DELETE /installations/<id>` -> 119, as in Parse without the master key.
    func deleteInstallation(_ request: ParseRequest) throws(RouteError) -> HTTPResponse {
        throw .refused(.installationsClosed(to: "delete"))
    }
}
