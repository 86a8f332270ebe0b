import JSON

/// Users, sessions and their parts in the format of Parse's responses.
enum ParseObjects {
    /// The member with the password hash, in requests from this process. As in Parse, no field begins with `_`.
    static let hashMember = "_hashed_password"

    /// `objectId`, `createdAt`, `updatedAt`, `username`, `email`?, `emailVerified`?, `authData`?, custom fields, `ACL`.
    ///
    /// Parse's `authData` contains everything that the client sent, even access tokens. This server stores only ids.
    static func user(_ user: UserRow, _ identities: [Identity]) -> JSONObject {
        var object: JSONObject = [
            "objectId": .string(user.id), "createdAt": .string(user.createdAt.textWithMilliseconds),
            "updatedAt": .string(user.updatedAt.textWithMilliseconds), "username": .string(user.username),
        ]
        if let email = user.email { object["email"] = .string(email) }
        if let isVerified = user.isEmailVerified { object["emailVerified"] = .bool(isVerified) }
        if !identities.isEmpty {
            let members = identities.map {
                JSONObject.Member(name: $0.provider, value: ["id": .string($0.id)])
            }
            object["authData"] = .object(JSONObject(members))
        }
        object.members += user.fields.members.filter { $0.name != "ACL" }
        object["ACL"] = .object(accessList(of: user))
        return object
    }

    /// The caller's user with `__type` and `className`, as in the responses to `/users/me` and `include=user`.
    static func caller(_ caller: Caller) -> JSONObject {
        var object = user(caller.user, caller.identities)
        object["__type"] = "Object"
        object["className"] = "_User"
        return object
    }

    /// The ACL that the client sent. The user's own access is always added, so that users cannot lock themselves out.
    private static func accessList(of user: UserRow) -> JSONObject {
        var list = user.fields["ACL"]?.object ?? [:]
        list[user.id] = ["read": true, "write": true]
        return list
    }

    /// The user as other users see it: without `email` and `authData`. Source: Parse Server, `protectedFields` and
    /// `filterSensitiveData`.
    static func otherUser(_ user: UserRow) -> JSONObject {
        var object = self.user(user, [])
        object["email"] = nil
        return object
    }

    /// `objectId`, `createdAt`, `updatedAt`, `user`, `installationId`?, `sessionToken`, `expiresAt`, `createdWith`, the
    /// custom fields.
    ///
    /// Parse returns the token of every session. This server stores only hashes of tokens, so that one session does not
    /// give access to the others. `sessionToken` is empty unless the caller authenticated with this session. It is not
    /// omitted, because ParseSwift requires it.
    static func session(_ session: SessionRow, for caller: Caller) -> JSONObject {
        var object: JSONObject = [
            "objectId": .string(session.id), "createdAt": .string(session.createdAt.textWithMilliseconds),
            "updatedAt": .string(session.updatedAt.textWithMilliseconds),
            "user": pointer(to: session.userID),
        ]
        if let installation = session.installationID { object["installationId"] = .string(installation) }
        object["sessionToken"] = .string(session.id == caller.sessionID ? caller.token.text : "")
        object["expiresAt"] = ["__type": "Date", "iso": .string(session.expiresAt.textWithMilliseconds)]
        object["createdWith"] = origin(session)
        object.members += session.fields.members
        return object
    }

    /// A new session in the response to its creation: `sessionToken`, `user`, `createdWith`, `expiresAt`, the custom
    /// fields, `objectId`.
    static func newSession(_ session: SessionRow, token: SessionToken) -> JSONObject {
        var object: JSONObject = [
            "sessionToken": .string(token.text), "user": pointer(to: session.userID), "createdWith": origin(session),
            "expiresAt": ["__type": "Date", "iso": .string(session.expiresAt.textWithMilliseconds)],
        ]
        object.members += session.fields.members
        object["objectId"] = .string(session.id)
        return object
    }

    private static func origin(_ session: SessionRow) -> JSONValue {
        var origin: JSONObject = ["action": .string(session.origin.action)]
        if let provider = session.origin.authProvider { origin["authProvider"] = .string(provider) }
        return .object(origin)
    }

    private static func pointer(to userID: String) -> JSONValue {
        ["objectId": .string(userID), "__type": "Pointer", "className": "_User"]
    }
}

extension JSONValue {
    /// Whether the value is falsy in JavaScript. Parse Server treats a falsy field as missing.
    var isFalsy: Bool {
        switch self {
        case .null, .bool(false), .integer(0), .string(""): true
        case .number(let number): number.value == 0
        default: false
        }
    }

    /// The name of the value's type in Parse's messages, as in "expected String but got Number".
    var parseType: String {
        switch self {
        case .null: "Null"
        case .bool: "Boolean"
        case .integer, .number: "Number"
        case .string: "String"
        case .array: "Array"
        case .object(let object): object["__type"]?.string ?? "Object"
        }
    }
}
