import TestSupport
import Testing

/// Tables line up at a terminal, whatever their words are made of.
@Suite struct ConventionTableTests {
    @Test func `wide characters, marks and emoji keep the columns straight`() throws {
        let world = try Sandbox()
        for (profile, name) in [("a", "\u{65E5}\u{672C}\u{8A9E}"), ("b", "e\u{301}lise"), ("c", "\u{1F40E}horse")] {
            try world.run("profile", "add", profile, "--backend", "local")
            try world.signUp(name, "-p", profile)
        }
        #expect(
            try world.run("profile", "list").stdout == """
                   NAME     BACKEND  SERVER  USER
                   a        local            \u{65E5}\u{672C}\u{8A9E}
                   b        local            e\u{301}lise
                   c        local            \u{1F40E}horse
                *  default  local

                """)
    }

    @Test func `a head may close a table early`() throws {
        let world = try Sandbox()
        try world.signUp("ada")
        for _ in 1...5 { try world.logIn("ada") }
        let result = try world.runScript(#""$A" sessions | head -1; echo ${PIPESTATUS[0]}"#)
        #expect(result.stdout.hasPrefix("   ID "))
        #expect(result.stdout.hasSuffix("\n0\n") || result.stdout.hasSuffix("\n141\n"))
        #expect(result.stderr.isEmpty)
    }
}
