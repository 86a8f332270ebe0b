import JSON
import Testing
import Transport

@Suite struct InstallationTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    private static let body = #"{"deviceType":"ios","installationId":"AAAA-1","channels":["a"]}"#

    @Test func `an installation is saved, shown and updated`() throws {
        let saved = try server.send(.post, "/installations", Self.body)
        let id = try #require(saved.id)
        #expect(saved.line == #"201 {"objectId":"\#(id)","createdAt":"2026-01-02T03:04:05.678Z"}"#)
        let change = #"{"channels":{"__op":"AddUnique","objects":["b"]},"badge":0}"#
        let updated = try server.send(.put, "/installations/\(id)", change)
        #expect(updated.line == #"200 {"updatedAt":"2026-01-02T03:04:05.678Z","channels":["a","b"]}"#)
        let shown = try server.send(.get, "/classes/_Installation/\(id)")
        #expect(shown.json?["installationId"] == "aaaa-1" && shown.json?["channels"] == ["a", "b"])
        #expect(shown.json?["badge"] == 0 && shown.json?["deviceType"] == "ios")
    }

    @Test func `the same installation again is updated and keeps its id`() throws {
        let id = try #require(try server.send(.post, "/installations", Self.body).id)
        let again = try server.send(.post, "/classes/_Installation", #"{"installationId":"aaaa-1","badge":2}"#)
        #expect(again.status == 200 && again.id == id && again.json?["updatedAt"] != nil)
        #expect(try server.send(.get, "/installations/\(id)").json?["channels"] == ["a"])
    }

    @Test func `an installation can be named by a header or a device token`() throws {
        let header: HTTPHeaders = ["X-Parse-Installation-Id": "I1"]
        let saved = try server.send(.post, "/installations", #"{"deviceType":"web"}"#, headers: header)
        #expect(try server.send(.get, "/installations/\(saved.id ?? "")").json?["installationId"] == "i1")
        let body = #"{"deviceType":"android","deviceToken":"t"}"#
        #expect(try server.send(.post, "/installations", body).status == 201)
    }

    @Test func `an installation of an earlier run of the server is created by its update`() throws {
        let answer = try server.send(.put, "/installations/earlier123", #"{"badge":1,"installationId":"x"}"#)
        #expect(answer.status == 200 && answer.json?["updatedAt"] != nil)
        #expect(try server.send(.get, "/installations/earlier123").json?["badge"] == 1)
        #expect(try server.send(.get, "/installations/other").code == 101)
    }

    @Test(arguments: [
        (#"{"deviceType":"ios"}"#, 135), (#"{"installationId":"x"}"#, 135), ("{}", 135),
        (#"{"installationId":5,"deviceType":"ios"}"#, 135),
        (#"{"installationId":"x","deviceType":"ios","a b":1}"#, 105),
    ])
    func `an incomplete installation is rejected`(body: String, code: Int64) throws {
        #expect(try server.send(.post, "/installations", body).code == code)
    }

    @Test func `clients can neither list nor delete installations`() throws {
        let id = try #require(try server.send(.post, "/installations", Self.body).id)
        for path in ["/installations", "/classes/_Installation"] {
            #expect(try server.send(.get, path).code == 119)
            #expect(try server.send(.delete, "\(path)/\(id)").code == 119)
        }
    }

    @Test func `the number and the size of installations are limited`() throws {
        let large = #"{"installationId":"x","deviceType":"ios","text":"\#(String(repeating: "x", count: 20_000))"}"#
        #expect(try server.send(.post, "/installations", large).code == 116)
        let first = try #require(try server.send(.post, "/installations", Self.body).id)
        for index in 0..<1000 {
            _ = try server.send(.put, "/installations/i\(index)", #"{"installationId":"\#(index)"}"#)
        }
        #expect(try server.send(.get, "/installations/\(first)").code == 101)
        #expect(try server.send(.get, "/installations/i0").status == 200)
    }
}
