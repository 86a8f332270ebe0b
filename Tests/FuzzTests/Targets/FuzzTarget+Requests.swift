import JSON
import Transport

@testable import AccountServer

extension FuzzTarget {
    /// A request to the embedded server. Input: one byte that selects the content type; path and query; a zero
    /// byte; the body.
    static let request = FuzzTarget(
        name: "request",
        seeds: {
            [
                (0, "users", #"{"username":"ada","password":"p","authData":{"facebook":{"id":"1"}}}"#),
                (0, "sessions?limit=1&order=-createdAt&where=%7B%22a%22%3A1%7D&keys=a,b", ""),
                (1, "login?username=a+b&password=%70", "_method=GET&username=ada&username=b&x"),
                (0, "users/me#x", #"{"_ApplicationId":"app","_SessionToken":"r:1","_method":"PUT","limit":"1"}"#),
                (
                    0, "users",
                    #"{"where":{"$or":[{"a.b":{"$in":[1,null],"$exists":true}},{"c":{"$regex":"^\\Qd\\E"}}]}}"#
                ),
                (0, "users", #"{"where":{"a":{"$gte":1,"$ne":{"b":1}}},"order":["-a","b.c"],"keys":["a"]}"#),
                (2, "a%2fb//..", "\u{FEFF}{}"), (0, "users", #"{"where":{"createdAt":{"__type":"Date","iso":"x"}}}"#),
            ].map { [UInt8($0.0)] + Array($0.1.utf8) + [0] + Array($0.2.utf8) }
        },
        check: { bytes in
            let parts = bytes.dropFirst().split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            let types = ["application/json", "application/x-www-form-urlencoded; charset=utf-8", "text/plain", ""]
            let path = String(decoding: parts.first ?? [], as: UTF8.self)
            let request = HTTPRequest(
                .post, "local:/parse/\(path)", headers: ["Content-Type": types[Int(bytes.first ?? 0) % types.count]],
                body: parts.count > 1 ? Array(parts[1]) : nil)
            do {
                let target = RequestTarget(request.url, mount: "local:/parse")
                try check(target)
                let read = try ParseRequest(request, target: target, application: "app")
                let inner: Set = ["_ApplicationId", "_SessionToken", "_MasterKey", "_method"]
                let isInner = read.body.names.contains { inner.contains($0) || $0.hasPrefix("__") }
                try FuzzFault.unless(!isInner, "a field about the request is one of the user")
                try Invariants.check(.object(read.body))
                let isEmpty = read.keys.sessionToken == "" || read.keys.installationID == ""
                try FuzzFault.unless(!isEmpty, "an empty token")
                let query = try ListQuery(read.options)
                let rows: [JSONObject] = [
                    ["objectId": "1", "createdAt": "x", "a": 1], ["objectId": "2", "a": ["b", ["c": JSONValue(1.5)]]],
                ]
                var budget = QueryBudget()
                for row in rows {
                    _ = query.selection.selected(from: row)
                    _ = try query.filter?.matches(row, &budget)
                }
                let sorted = try rows.sorted(by: query.order, &budget)
                try FuzzFault.unless(sorted.count == rows.count, "a row is lost by sorting")
                try FuzzFault.unless(query.limit >= 0 && query.skip >= 0, "a page before the first")
            } catch let error as RequestError {
                try check(error)
            }
        })

    private static func check(_ target: RequestTarget) throws {
        try FuzzFault.unless(target.isInsideMount, "outside of the mount: \(target.fullPath)")
        for part in target.path {
            let again = String(decoding: part.percentEncoded.percentDecoded(plusIsSpace: true), as: UTF8.self)
            try FuzzFault.unless(again == part, "another part of a path when it is read again")
        }
    }

    private static func check(_ error: RequestError) throws {
        guard case .answered(let response) = error else { return }
        try FuzzFault.unless((400..<500).contains(response.status), "a request means a fault of the server")
    }
}
