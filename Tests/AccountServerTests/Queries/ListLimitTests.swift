import Expectations
import JSON
import Transport

@testable import AccountServer

/// The size limits without which a request could take gigabytes of memory or block the server for seconds.
@Suite struct ListLimitTests {
    private static let large = String(repeating: "a", count: 900_000)
    private static let listTooLarge = "102 the list is too large to be searched: restrict it with objectId in where"
    private static let responseTooLarge = "116 the response is too large: request fewer objects at once"

    private let ada: SignedUp

    init() throws {
        ada = try SignedUp(#""ACL":{"*":{"read":true}},"text":"\#(Self.large)""#)
    }

    /// The result of a list request: `count N` for a list of N rows, or the error code and message.
    private func list(_ route: String, _ parameters: String) throws -> String {
        let answer = try ada.server.send(.post, route, #"{"_method":"GET",\#(parameters)}"#, token: ada.token)
        if let rows = answer.json?["results"]?.array { return "count \(rows.count)" }
        return "\(answer.code ?? 0) \(answer.json?["error"]?.string ?? "")"
    }

    @Test func `a $regex pattern of more than 100 bytes is rejected`() throws {
        func regex(_ pattern: String) throws -> String {
            try list("/users", #""where":{"text":{"$regex":"\\Q\#(pattern)\\E"}}"#)
        }
        try expect(regex("aaa"), "count 1")
        #expect(try regex(String(repeating: "a", count: 101)).hasPrefix("102 $regex supports only literal text"))
    }

    @Test func `a user list that would load too much data is rejected, unless it is restricted to object ids`() throws {
        for number in 1...9 {
            let body =
                #"{"username":"bob\#(number)","password":"pw","ACL":{"*":{"read":true}},"text":"\#(Self.large)"}"#
            try expect(ada.server.send(.post, "/users", body).status, 201)
        }
        try expect(list("/users", #""limit":100"#), Self.listTooLarge)
        try expect(list("/users", #""order":"text","limit":1"#), Self.listTooLarge)
        try expect(list("/users", #""where":{"age":1},"limit":1"#), Self.listTooLarge)
        try expect(list("/users", #""where":{"objectId":"\#(ada.id)"}"#), "count 1")
    }

    @Test func `a session list whose response would be too large is rejected`() throws {
        for _ in 1...9 { _ = try ada.server.logIn("ada") }
        try expect(list("/sessions", #""limit":100"#), "count 10")
        try expect(list("/sessions", #""include":"user""#), Self.responseTooLarge)
        try expect(list("/sessions", #""include":"user","limit":2"#), "count 2")
    }

    @Test func `a user update that makes the user's fields exceed 1 MiB in total is rejected`() throws {
        let other = #"{"other":"\#(String(repeating: "b", count: 200_000))"}"#
        try expect(
            ada.put(other).line, #"400 {"code":116,"error":"the object is too large: its fields exceed 1 MiB"}"#)
        try expect(ada.put(#"{"text":"short"}"#).status, 200)
        try expect(ada.put(other).status, 200)
    }

    @Test func `the parameters keys and excludeKeys select members of a user, in the order given by keys`() throws {
        try expect(ada.put(#"{"text":{"__op":"Delete"},"a":1,"b":2,"c":3}"#).status, 200)
        func members(_ query: String) throws -> [String]? {
            try ada.server.send(.get, "/users/\(ada.id)?\(query)", token: ada.token).json?.object?.names
        }
        let permanent = ["objectId", "createdAt", "updatedAt", "ACL", "sessionToken"]
        try expect(members("keys=c,a,c,none"), ["c", "a"] + permanent)
        try expect(members("keys=c,a&excludeKeys=a,objectId"), ["c"] + permanent)
        #expect(
            try members("excludeKeys=a,c,objectId")
                == ["objectId", "createdAt", "updatedAt", "username", "b", "ACL", "sessionToken"])
    }

    @Test func `a batch rejects the remaining requests when its response would become too large`() throws {
        let requests = Array(repeating: #"{"method":"GET","path":"/parse/users/me"}"#, count: 12).joined(separator: ",")
        let answer = try ada.server.send(.post, "/batch", #"{"requests":[\#(requests)]}"#, token: ada.token)
        let results = try #require(answer.json?.array)
        #expect(results[..<10].allSatisfy { $0["success"]?["text"]?.string == Self.large })
        let error: JSONValue = [
            "error": ["code": 116, "error": "the response is too large: request fewer objects at once"]
        ]
        expect(Array(results[10...]), [error, error])
    }
}
