import CommandTestSupport
import JSON

@testable import AuthClient

/// Which lists and items an OpenAPI document describes.
@Suite struct OpenAPIDocumentTests {
    private func document(_ paths: String, _ more: String = "") throws(AuthError) -> OpenAPIDocument {
        let text = #"{"openapi":"3.0.3","host":"evil.example","servers":[{"url":"https://evil.example"}],"#
        return try OpenAPIDocument(Array("\(text)\"paths\":{\(paths)}\(more)}".utf8), name: "'d'", reason: .usage)
    }

    /// The lists, each with the path of the item `{"id": 1, "slug": "s", "name": "n"}`; then what is left out.
    private func summary(_ document: OpenAPIDocument) -> [String] {
        let item: JSONObject = ["id": 1, "slug": "s", "name": "n"]
        let lists = document.lists.map { list in
            "\(list.path) \(list.ids(in: item).map { list.path(ofItem: $0) } ?? "-")"
        }
        return lists + document.leftOut.map { "\($0.request): \($0.reason)" }
    }

    @Test(arguments: [
        // The item's parameter names its member, unless it is that of an id.
        (#""/n/":{"get":{}},"/n/{id}/":{"get":{},"delete":{}}"#, ["/n/ /n/1/"]),
        (#""/n/{slug}":{"get":{}},"/n":{"get":{}}"#, ["/n /n/s"]),
        (#""/n":{"get":{}},"/n/{note_id}/":{"get":{}}"#, ["/n /n/1/"]),
        (#""/n":{"get":{}},"/n/{username}":{"get":{}}"#, ["/n -"]),
        // Only GET, and only what needs no other parameters.
        (#""/n":{"post":{}},"/m":{"get":{"parameters":[{"in":"query","name":"page"}]}},"x":{"get":{}}"#, ["/m -"]),
        (
            #""/n":{"get":{"parameters":[{"in":"query","name":"q","required":true}]}}"#,
            ["GET /n: it requires the parameter 'q'"]
        ),
        (
            #""/n":{"get":{"parameters":[{"in":"header","name":"X","required":true}]}}"#,
            ["GET /n: it requires the parameter 'X'"]
        ),
        (
            #""/n":{"parameters":[{"in":"query","name":"q","required":true}],"get":{"parameters":[{"in":"query","name":"q"}]}}"#,
            ["/n -"]
        ),
        // Templates alone, in the middle, in a part of a segment, and two for one list.
        (#""/n/{id}":{"get":{}}"#, ["GET /n/{id}: there is no list of its items"]),
        (
            #""/n":{"get":{}},"/n/{id}/m":{"get":{}}"#,
            ["/n -", "GET /n/{id}/m: its parameters are not the id of an item alone"]
        ),
        (
            #""/n":{"get":{}},"/n/x{id}":{"get":{}}"#,
            ["/n -", "GET /n/x{id}: its parameters are not the id of an item alone"]
        ),
        (
            #""/n":{"get":{}},"/n/{a}/{b}":{"get":{}}"#,
            ["/n -", "GET /n/{a}/{b}: its parameters are not the id of an item alone"]
        ),
        (
            #""/n":{"get":{}},"/n/{id}":{"get":{}},"/n/{slug}/":{"get":{}}"#,
            ["/n /n/1", "GET /n/{slug}/: there is no list of its items"]
        ),
        // References to other documents are not followed, and circles end.
        (#""/n":{"$ref":"https://evil.example/n.json"}"#, ["GET /n: its description is not in this document"]),
        (#""/n":{"$ref":"n.json#/n"}"#, ["GET /n: its description is not in this document"]),
        (##""/n":{"$ref":"#/components/pathItems/a"}"##, ["/n -"]),
        (##""/n":{"$ref":"#/components/pathItems/circle"}"##, ["GET /n: its description is not in this document"]),
        (
            ##""/n":{"get":{"parameters":[{"$ref":"#/components/parameters/a~1b%20c"}]}}"##,
            ["GET /n: it requires the parameter 'q'"]
        ),
        (
            #""/n":{"get":{"parameters":[{"$ref":"file:///etc/passwd"}]}}"#,
            ["GET /n: a parameter is not described in this document"]
        ),
    ])
    func `a list is a path without parameters, and an item has one more segment`(paths: String, summary: [String])
        throws
    {
        let components = #"""
            ,"components":{"pathItems":{"a":{"get":{}},"circle":{"$ref":"#/components/pathItems/circle"}},
            "parameters":{"a/b c":{"in":"query","name":"q","required":true}}}
            """#
        try expect(self.summary(document(paths, components)), summary)
    }

    @Test(arguments: [
        "openapi: 3.0.3", "", "[]", #"{"swagger":"2.0","paths":{}}"#, #"{"openapi":"3.1.0"}"#,
        #"{"openapi":3,"paths":{}}"#,
    ])
    func `another document is rejected`(text: String) throws {
        try failure { try OpenAPIDocument(Array(text.utf8), name: "'d'", reason: .usage) }
            .expectMessage(in: "use-cases/check", text)
    }

    @Test func `a document of 5 MB is read in a moment`() throws {
        let schema =
            ##"{"type":"object","properties":{"next":{"$ref":"#/components/schemas/s"}},"x":"\##(String(repeating: "x", count: 5000))"}"##
        let schemas = (0..<1000).map { "\"s\($0)\":\(schema)" }.joined(separator: ",")
        let paths = (0..<1000).map { #""/l\#($0)":{"get":{}},"/l\#($0)/{id}":{"get":{}}"# }.joined(separator: ",")
        let clock = ContinuousClock()
        var count = 0
        let time = try clock.measure {
            count = try document(paths, #","components":{"schemas":{\#(schemas)}}"#).lists.filter { !$0.item.isEmpty }
                .count
        }
        #expect(count == 1000 && time < .seconds(20))
    }
}
