import Expectations
import JSON

@testable import AccountServer

@Suite struct RowFilterTests {
    private static let rows: [JSONObject] = [
        ["objectId": "1", "n": 1, "s": "ada", "tags": ["a", "b"], "prefs": ["theme": "dark", "size": ["w": 5]]],
        ["objectId": "2", "n": JSONValue(2.5), "s": "bob", "tags": [], "prefs": ["theme": "light"], "z": .null],
        [
            "objectId": "3", "n": "1", "born": ["__type": "Date", "iso": "2000-01-01T00:00:00.500Z"], "s": "a.a",
            "createdAt": "2026-01-02T03:04:05.678Z", "text": "a\nB", "long": "aaaaaab",
        ],
    ]

    private func matching(_ filter: String) throws -> [String] {
        try matching(try RowFilter(parameter: .string(filter)))
    }

    private func matching(_ filter: RowFilter) throws -> [String] {
        var budget = QueryBudget()
        return try Self.rows.filter { try filter.matches($0, &budget) }.compactMap { $0["objectId"]?.string }
    }

    @Test(arguments: [
        ("{}", "123"), (#"{"n":1}"#, "1"), (#"{"n":1.0}"#, "1"), (#"{"n":"1"}"#, "3"), (#"{"n":{"$eq":2.5}}"#, "2"),
        (#"{"n":{"$ne":1}}"#, "23"), (#"{"n":{"$in":[1,"1"]}}"#, "13"), (#"{"n":{"$in":[]}}"#, ""),
        (#"{"n":{"$nin":[1,"1"]}}"#, "2"), (#"{"z":{"$in":[null]}}"#, "123"), (#"{"z":null}"#, "123"),
        (#"{"z":{"$exists":true}}"#, "2"), (#"{"z":{"$exists":false}}"#, "13"), (#"{"n":{"$gt":1}}"#, "2"),
        (#"{"n":{"$gte":1}}"#, "12"), (#"{"n":{"$lt":2.5}}"#, "1"), (#"{"n":{"$lte":2.5,"$gt":0}}"#, "12"),
        (#"{"s":{"$gt":"ada"}}"#, "2"), (#"{"tags":"a"}"#, "1"), (#"{"tags":["a","b"]}"#, "1"),
        (#"{"tags":{"$in":["b","c"]}}"#, "1"), (#"{"prefs.theme":"dark"}"#, "1"),
        (#"{"prefs.size.w":{"$gt":4}}"#, "1"), (#"{"prefs":{"size":{"w":5},"theme":"dark"}}"#, "1"),
        (#"{"s.x":"a"}"#, ""), (#"{"born":{"$lt":{"__type":"Date","iso":"2001-01-01T00:00:00.000Z"}}}"#, "3"),
        (#"{"$or":[{"n":1},{"s":"bob"}]}"#, "12"), (#"{"$and":[{"n":1},{"s":"bob"}]}"#, ""),
        (#"{"$nor":[{"n":1},{"s":"bob"}]}"#, "3"), (#"{"s":{"$regex":"^\\Qa\\E"}}"#, "13"),
        (#"{"s":{"$regex":"\\Qb\\E$"}}"#, "2"), (#"{"s":{"$regex":"\\Qd\\E"}}"#, "1"),
        (#"{"s":{"$regex":"^ada$"}}"#, "1"),
        (#"{"s":{"$regex":"\\Q.\\E"}}"#, "3"), (#"{"s":{"$regex":"a\\.a"}}"#, "3"), (#"{"s":{"$regex":""}}"#, "123"),
        (#"{"s":{"$regex":"\\Qa\\E\\\\E\\Q\\E"}}"#, ""), (#"{"long":{"$regex":"aaab"}}"#, "3"),
        (#"{"long":{"$regex":"aba"}}"#, ""), (#"{"s":{"$regex":"D","$options":"i"}}"#, "1"),
        (#"{"s":{"$options":"is","$regex":"^\\QAD\\E"}}"#, "1"), (#"{"s":{"$regex":"D","$options":"m"}}"#, ""),
        (#"{"text":{"$regex":"b","$options":"im"}}"#, "3"),
    ])
    func `a query filter matches the objects that satisfy all its conditions`(filter: String, expected: String) throws {
        try expect(matching(filter).joined(), expected)
    }

    @Test(arguments: [
        (#"{"n":{"$near":1}}"#, 102), (#"{"n":{"$in":1}}"#, 102), (#"{"n":{"$gt":1,"x":2}}"#, 102),
        (#"{"s":{"$regex":"a.*"}}"#, 102), (#"{"s":{"$regex":"^\\d"}}"#, 102), (#"{"s":{"$regex":"a\\"}}"#, 102),
        (#"{"s":{"$regex":"a","$options":"x"}}"#, 102), (#"{"s":{"$regex":"a","$options":""}}"#, 102),
        (#"{"s":{"$options":"i"}}"#, 102), (#"{"s":{"$regex":"^a","$options":"m"}}"#, 102),
        (#"{"$relatedTo":{}}"#, 102), (#"{"$text":{}}"#, 102), (#"{"n":{"$gt":null}}"#, 102),
        (#"{"n":{"$lt":{"__type":"GeoPoint","latitude":1,"longitude":2}}}"#, 102), (#"{"createdAt":"now"}"#, 107),
        (#"{"n":{"$in":[{"__type":"Date","iso":"2000"}]}}"#, 107), (#"{"tags":{"$all":["a"]}}"#, 102),
        (#"{"$or":{}}"#, 102),
        (#"{"$or":[1]}"#, 102),
        (#"{"ACL":{}}"#, 102), (#"{"":1}"#, 105), (#"{"a..b":1}"#, 105), (#"{"a b":1}"#, 105), (#"{"_rperm":1}"#, 105),
        (#"{"authData.facebook.id":"1"}"#, 105), (#"{"$or":[{"password":"x"}]}"#, 105),
    ])
    func `a query filter with an invalid operator, operand or field is rejected`(filter: String, code: Int64) throws {
        #expect {
            try RowFilter(parameter: .string(filter))
        } throws: { error in
            guard case RequestError.refused(let refusal) = error else { return false }
            return refusal.code == code
        }
    }

    @Test func `a filter with too many conditions or a long path is rejected, a long $in list is accepted`() throws {
        let parts = JSONValue.array((0...1000).map { ["n": .integer($0)] })
        #expect(throws: RequestError.self) { try RowFilter(parameter: ["$or": parts]) }
        let path = Array(repeating: "a", count: 101).joined(separator: ".")
        #expect(throws: RequestError.self) { try RowFilter(parameter: .object([path: 1])) }
        let many = try RowFilter(parameter: ["n": ["$in": .array((0...9999).map { .integer($0) })]])
        try expect(matching(many).count, 1)
    }

    /// The time of `createdAt` is a string, and that of `born` a `Date` with milliseconds.
    @Test(arguments: [
        ("createdAt", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678+00:00", "2026-01-02T05:04:06+02:00"),
        ("born", "2000-01-01T00:00:00Z", "2000-01-01T02:00:00.5+02:00", "1999-12-31T23:00:01-01:00"),
    ])
    func `a query compares dates as instants`(field: String, earlier: String, same: String, later: String) throws {
        func date(_ text: String) -> String { #"{"__type":"Date","iso":"\#(text)"}"# }
        func rows(_ condition: String) throws -> String { try matching(#"{"\#(field)":\#(condition)}"#).joined() }
        try expect(rows(date(same)), "3")
        try expect(rows(#"{"$in":[\#(date(later)),\#(date(same))]}"#), "3")
        try expect(rows(#"{"$gte":\#(date(earlier)),"$lt":\#(date(later))}"#), "3")
        try expect(rows(#"{"$lte":\#(date(earlier))}"#) + rows(#"{"$gte":\#(date(later))}"#), "")
        if field == "createdAt" { try expect(rows(#"{"$gt":"\#(earlier)","$lte":"\#(same)"}"#), "3") }
    }

    @Test func `a query that compares too many bytes, or whose client is gone, is rejected`() throws {
        let row: JSONObject = ["text": .string(String(repeating: "a", count: 1 << 20)), "short": "a"]
        func count(_ field: String, _ conditions: Int, isAbandoned: Bool = false) throws -> Int {
            let part: JSONValue = .object([field: ["$regex": "b"]])
            let filter = try RowFilter(parameter: ["$or": .array(Array(repeating: part, count: conditions))])
            var budget = QueryBudget { isAbandoned }
            return try [row].filter { try filter.matches($0, &budget) }.count
        }
        try expect(count("text", 3) + count("short", 999), 0)
        #expect { try count("text", 40) } throws: { error in
            guard case RequestError.refused(let refusal) = error else { return false }
            return refusal.code == 154
        }
        #expect(throws: RequestError.self) { try count("text", 3, isAbandoned: true) }
        #expect(throws: RequestError.self) {
            var budget = QueryBudget()
            _ = try [row].sorted(by: Array(repeating: RowOrder.list(["text"])[0], count: 40), &budget)
        }
    }

    @Test func `a query filter reports which fields it uses and which object ids it can match`() throws {
        let nested = try RowFilter(parameter: .string(#"{"$or":[{"$and":[{"email.x":1}]}]}"#))
        #expect(nested.concerns("email") && !nested.concerns("x") && nested.objectIDs == nil)
        try expect(RowFilter(parameter: ["objectId": "a"]).objectIDs, ["a"])
        try expect(
            RowFilter(parameter: ["objectId": ["$in": ["a", 1, "b"]], "n": 1]).objectIDs?.sorted(), ["a", "b"])
        try expect(RowFilter(parameter: ["objectId": ["$ne": "a"]]).objectIDs, nil)
    }

    @Test(arguments: [
        ("n", "123"), ("-n", "321"), ("s", "312"), ("-s", "213"), ("prefs.theme", "123"), ("-prefs.theme", "321"),
        ("nosuch,-objectId", "321"), ("-nosuch", "321"), ("", "123"), ("z,s,-s", "312"),
        ("_created_at", "312"), ("-_created_at", "213"), ("born", "312"),
    ])
    func `a query sorts rows by type and value, and ranks a missing value highest`(order: String, expected: String)
        throws
    {
        let order = try RowOrder.list(order.split(separator: ",").map(String.init))
        var budget = QueryBudget()
        try expect(Self.rows.sorted(by: order, &budget).compactMap { $0["objectId"]?.string }.joined(), expected)
    }
    @Test(arguments: ["_password", "-_hashed_password", "1", "-", "$score", ".a"])
    func `a sort order with an invalid field name is rejected`(order: String) {
        #expect {
            try RowOrder.list([order])
        } throws: { error in
            let name = order.hasPrefix("-") ? String(order.dropFirst()) : order
            guard case RequestError.refused(let refusal) = error else { return false }
            return refusal == ParseError(code: 105, text: "Invalid field name: \(name).")
        }
    }
}
