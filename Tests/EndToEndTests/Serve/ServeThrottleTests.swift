import Foundation
import TestSupport
import Testing

/// Limits, with the built binary.
@Suite struct ServeThrottleTests {
    @Test func `serve locks an account after five wrong passwords, also after a restart`() throws {
        let server = try ServingProgram()
        let token = try #require(try server.signUp().token)
        for _ in 0..<5 {
            #expect(try server.logIn(password: "wrong").body.contains("Invalid username/password."))
        }
        #expect(try server.logIn().body.contains("Please try again after 5 minute(s)"))
        #expect(try server.ask("GET", "/users/me", token: token).status == 200)
        server.program.send(SIGTERM)
        #expect(server.program.wait(atMost: .seconds(6)).exitCode == 0)
        let second = try ServingProgram(world: server.world)
        let answer = try second.logIn()
        #expect(answer.status == 404 && answer.body.contains("Your account is locked"))
        let third = try ServingProgram("--no-throttle", world: server.world)
        #expect(try third.logIn().status == 200)
        #expect(try server.world.run("login", "ada", "--password-stdin", input: .password).exitCode == 0)
    }

    @Test func `fifty parallel wrong passwords over HTTP are answered with five refusals and forty-five locks`() throws
    {
        let server = try ServingProgram()
        #expect(try server.signUp().status == 201)
        let script = """
            for i in $(seq 50); do
              curl -s -H 'X-Parse-Application-Id: local' -H 'Content-Type: application/json' \
                -d '{"username":"ada","password":"wrong"}' '\(server.url)/login' &
            done
            wait
            """
        let responses = try server.world.runScript(script).stdout
        #expect(responses.ranges(of: "Invalid username/password.").count == 5)
        #expect(responses.ranges(of: "Your account is locked").count == 45)
    }
}
