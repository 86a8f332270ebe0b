/// Exchanges with the embedded account server.
extension Exchange {
    package static func embedded(
        _ method: String, _ path: String, token: String? = nil, body: String? = nil, startsSession: Bool = false,
        _ status: Int, _ answer: String
    ) -> Exchange {
        var lines = ["\(method) embedded:/parse/\(path)", "X-Parse-Application-Id: local"]
        if let token { lines.append("X-Parse-Session-Token: \(token)") }
        if body != nil { lines.append("Content-Type: application/json") }
        if startsSession { lines.append("X-Parse-Revocable-Session: 1") }
        if let body { lines += ["", body] }
        return Exchange(lines.joined(separator: "\n"), status, answer)
    }

    package static let adaToken = "r:0123456789abcdef0123456789abcdef"

    package static let adaUser = """
        {"objectId":"g7y9tkhB7O","username":"ada","email":"ada@example.org","createdAt":"2026-01-02T03:04:05.678Z"}
        """

    package static func logIn(
        _ username: String = "ada", _ password: String = "correct horse", _ status: Int = 200, _ answer: String? = nil
    ) -> Exchange {
        embedded(
            "POST", "login", body: #"{"username":"\#(username)","password":"\#(password)"}"#, startsSession: true,
            status, answer ?? #"{"sessionToken":"\#(adaToken)",\#(adaUser.dropFirst())"#)
    }

    package static func verifyPassword(
        _ password: String, _ status: Int = 200, _ answer: String = adaUser
    ) -> Exchange {
        embedded(
            "POST", "verifyPassword", body: #"{"username":"ada","password":"\#(password)"}"#, status, answer)
    }

    package static func signUp(_ body: String, _ status: Int = 201, _ answer: String? = nil) -> Exchange {
        let made = #"{"objectId":"g7y9tkhB7O","createdAt":"2026-01-02T03:04:05.678Z","sessionToken":"\#(adaToken)"}"#
        return embedded("POST", "users", body: body, startsSession: true, status, answer ?? made)
    }

    package static func currentSession(token: String = adaToken, id: String = "Xk2LmN3oPq") -> Exchange {
        embedded(
            "GET", "sessions/me", token: token, 200,
            #"{"objectId":"\#(id)","createdAt":"2026-01-02T03:04:05.678Z","#
                + #""expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05.678Z"}}"#)
    }

    package static func currentUser(
        token: String = adaToken, _ status: Int = 200, _ answer: String = adaUser
    ) -> Exchange {
        embedded("GET", "users/me", token: token, status, answer)
    }

    package static func logOut(token: String = adaToken, _ status: Int = 200, _ answer: String = "{}") -> Exchange {
        embedded("POST", "logout", token: token, body: "{}", status, answer)
    }

    /// - Parameter count: the number of rows on earlier pages.
    package static func sessions(token: String = adaToken, after count: Int = 0, _ rows: String...) -> Exchange {
        embedded(
            "GET", "sessions?excludeKeys=sessionToken&order=-createdAt&limit=100&skip=\(count)", token: token, 200,
            #"{"results":[\#(rows.joined(separator: ","))]}"#)
    }

    package static func endSession(
        _ id: String, token: String = adaToken, _ status: Int = 200, _ answer: String = "{}"
    ) -> Exchange {
        embedded("DELETE", "sessions/\(id)", token: token, status, answer)
    }

    package static func setPassword(
        _ password: String, token: String = adaToken, _ status: Int = 200,
        _ answer: String = #"{"updatedAt":"2026-06-01T00:00:00.000Z","sessionToken":"r:changed"}"#
    ) -> Exchange {
        embedded(
            "PUT", "users/g7y9tkhB7O", token: token, body: #"{"password":"\#(password)"}"#, status, answer)
    }

    package static let sessionRevoked = #"{"code":209,"error":"Invalid session token"}"#

    package static func sessionRow(_ id: String, device: String = "") -> String {
        let installation = device.isEmpty ? "" : #","installationId":"\#(device)""#
        return #"{"objectId":"\#(id)","createdAt":"2026-01-02T03:04:05.678Z","#
            + #""expiresAt":{"__type":"Date","iso":"2027-01-02T03:04:05.678Z"},"#
            + #""createdWith":{"action":"login","authProvider":"password"}\#(installation)}"#
    }
}
