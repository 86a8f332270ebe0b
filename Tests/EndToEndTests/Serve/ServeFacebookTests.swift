import Foundation
import LibC
import TestSupport

/// `serve` while the Graph API, a scripted server, does not respond.
@Suite(.mostlyWaits) struct ServeFacebookTests {
    private static let token = "EAAB-canary-token"

    /// Starts `serve` with the server `graph` as the Graph API.
    private func serve(_ graph: ScriptedServer) throws -> ServingProgram {
        let world = Sandbox()
        world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url(""))
        return try ServingProgram("--facebook-app-id", "1234", world: world)
    }

    private static let authData = #"{"authData":{"facebook":{"id":"1001","access_token":"\#(token)"}}}"#

    @Test(.enabled(if: Host.hasNewBash))
    func `serve answers a password login without waiting for pending Facebook logins`() throws {
        let graph = try ScriptedServer(["/app": [[.stall]]])
        let server = try serve(graph)
        try expect(server.signUp().status, 201)
        let result = try server.world.runScript(
            """
            \(Self.sendMany(10, to: server))
            curl -s -o /dev/null --max-time 5 -w '%{http_code}' -H 'X-Parse-Application-Id: local' \
              -H 'Content-Type: application/json' -d '{"username":"ada","password":"\(Sandbox.password)"}' \
              '\(server.url)/login'
            """)
        expect(result.stdout, "200")
    }

    @Test(.enabled(if: Host.hasNewBash))
    func `serve rejects a Facebook login immediately if too many Facebook logins are pending`() throws {
        let graph = try ScriptedServer(["/app": [[.stall]]])
        let server = try serve(graph)
        // `serve` checks one Facebook login at a time and queues 64. The second batch fills the queue if needed.
        let result = try server.world.runScript(
            """
            \(Self.sendMany(68, to: server))
            sleep 1
            \(Self.sendMany(40, to: server))
            curl -s --max-time 7 -H 'X-Parse-Application-Id: local' -H 'Content-Type: application/json' \
              -d '\(Self.authData)' '\(server.url)/users'
            """)
        #expect(result.stdout.hasPrefix(#"{"code":141,"#), "\(result.stdout)")
    }

    /// Shell lines that send `count` Facebook logins and do not wait for the responses.
    private static func sendMany(_ count: Int, to server: ServingProgram) -> String {
        let body = authData
        let head = [
            "POST /parse/users HTTP/1.1", "Host: localhost:\(server.port)", "X-Parse-Application-Id: local",
            "Content-Type: application/json", "Content-Length: \(body.utf8.count)", "", "",
        ].joined(separator: "\\r\\n")
        return """
            for i in $(seq \(count)); do
              exec {fd}<>/dev/tcp/127.0.0.1/\(server.port)
              printf '\(head)%s' '\(body)' >&$fd
            done
            """
    }

    @Test func `serve ends within six seconds of SIGTERM while Facebook does not respond`() throws {
        let graph = try ScriptedServer(["/app": [[.stall]]])
        let server = try serve(graph)
        _ = try server.world.runScript(
            """
            curl -s --max-time 20 -H 'X-Parse-Application-Id: local' -H 'Content-Type: application/json' \
              -d '\(Self.authData)' '\(server.url)/users' &
            sleep 0.5; kill -TERM \(server.program.process); wait
            """)
        expect(server.program.wait(atMost: .seconds(6)).exitCode, 0)
    }
}
