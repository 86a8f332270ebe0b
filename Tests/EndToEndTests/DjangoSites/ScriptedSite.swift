import Foundation
import TestSupport
import Testing

/// A site with JWTs and scripted responses, and a user who is logged in there.
struct ScriptedSite {
    let server: ScriptedServer
    let world: Sandbox

    static let path = "/dj-rest-auth"

    /// - Parameters:
    ///   - access: the access token of a login as ada.
    ///   - routes: responses by path below the base URL; `user/` returns ada if it is missing.
    init(access: String, _ routes: [String: [ScriptedServer.Answer]] = [:]) throws {
        let standard: [String: [ScriptedServer.Answer]] = [
            "login/": [.json(Self.pair(access, "refresh-1", #","user":\#(Self.ada)"#))], "user/": [.json(Self.ada)],
        ]
        let all = standard.merging(routes) { $1 }
        server = try ScriptedServer(
            Dictionary(uniqueKeysWithValues: all.map { ("\(Self.path)/\($0.key)", $0.value) }))
        world = try Sandbox(visiting: server.url(Self.path))
        try #require(try world.logIn("ada").exitCode == 0)
    }

    static let ada = #"{"pk":1,"username":"ada","email":"ada@example.com","first_name":"","last_name":""}"#

    static func pair(_ access: String, _ refresh: String, _ more: String = "") -> String {
        #"{"access":"\#(access)","refresh":"\#(refresh)"\#(more)}"#
    }

    /// Recorded from dj-rest-auth 7.2.0.
    static let blacklisted = ScriptedServer.Answer.json(
        #"{"detail":"Token is blacklisted","code":"token_not_valid"}"#, "401 Unauthorized")

    /// A JWT with an invalid signature.
    static func token(_ content: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#) -> String {
        let parts = [header, content].map { part in
            Data(part.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
        return "\(parts[0]).\(parts[1]).c2lnbmF0dXJl"
    }

    /// A JWT that is valid for five minutes, from a server whose clock is this many hours ahead.
    ///
    /// - Parameter number: distinguishes JWTs of the same second.
    static func token(hoursAhead hours: Int = 0, number: Int = 0) -> String {
        let now = Int(Date().timeIntervalSince1970) + hours * 3600
        return token(#"{"token_type":"access","exp":\#(now + 300),"iat":\#(now),"jti":"\#(number)","user_id":"1"}"#)
    }

    /// The requests so far, without the base path.
    var asked: [String] { server.requests.map { "\($0.method) \($0.target.dropFirst(Self.path.count + 1))" } }

    var refreshes: Int { asked.count { $0 == "POST token/refresh/" } }

    func waitFor(_ request: String) -> Bool {
        let end = Date(timeIntervalSinceNow: 20)
        while !asked.contains(request) {
            guard Date() < end else { return false }
            usleep(5000)
        }
        return true
    }
}

extension ScriptedServer.Answer {
    static func json(_ body: String, _ status: String = "200 OK") -> Self {
        answer(status, ["Content-Type: application/json"], body)
    }
}
