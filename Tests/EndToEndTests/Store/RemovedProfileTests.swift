import TestSupport
import Testing

/// `profile remove --force` while other processes log in to the profile.
@Suite(.keepsSecrets) struct RemovedProfileTests {
    @Test func `concurrent logins during profile remove --force leave no session without a profile`() throws {
        let user = #""objectId":"g7y9tkhB7O","username":"ada""#
        let server = try ScriptedServer([
            "/parse/login": [.json(#"{\#(user),"sessionToken":"r:0123"}"#)], "/parse/logout": [.json("{}")],
        ])
        let world = try Sandbox()
        let add = #""$A" profile add ci --backend parse --server '\#(server.url("/parse"))' --app-id shop >/dev/null"#
        let script = """
            \(add)
            for i in {1..10}; do
                for j in 1 2 3; do
                    "$A" login ada --password-stdin -p ci <<<'\(Sandbox.password)' >/dev/null 2>&1 &
                done
                "$A" profile remove ci --force >/dev/null 2>&1
                wait
                "$A" profile list | grep -q '^  *ci ' || ls ~/.config/authctl/sessions | grep '^ci'
                "$A" logout -p ci >/dev/null 2>&1
                \(add) 2>&1
            done
            """
        #expect(try world.runScript(script).stdout == "")
        #expect(server.requests.contains { $0.target == "/parse/login" })
    }
}
