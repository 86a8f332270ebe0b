import CommandTestSupport

/// The stubs fail a test that uses a stub without setting it up, or that sets up a response without using it.
@Suite struct TestContextTests {
    @Test func `an unexpected request, a mismatch with the expected request and a missing request fail the test`() {
        withKnownIssue { _ = TestContext().run("login", "ada", "--password-stdin", stdin: "x") }
        withKnownIssue {
            let world = TestContext()
            world.server.expect(.logIn("ada", "other"))
            _ = world.run("login", "ada", "--password-stdin", stdin: "x")
        }
        withKnownIssue { TestContext().server.expect(.logIn()) }
    }

    @Test func `an unexpected prompt, a visible answer to a hidden prompt, and an unused answer fail the test`() {
        for answers in [[], [StubTerminal.Answer.shown("secret")]] {
            withKnownIssue {
                let world = TestContext()
                world.isInputTerminal = true
                for answer in answers { world.terminal.answer(answer) }
                _ = world.run("login", "ada")
            }
        }
        withKnownIssue { TestContext().terminal.answer(.shown("ada")) }
    }

    @Test func `reading standard input that was not provided fails the test`() {
        withKnownIssue { _ = TestContext().run("login", "ada", "--password-stdin") }
    }

    @Test func `an unexpected run of serve or exec fails the test`() {
        withKnownIssue { _ = TestContext().run("serve") }
        withKnownIssue {
            let world = TestContext()
            world.sessions.put(.ada)
            _ = world.run("exec", "--", "true")
        }
    }

    @Test func `an unexpected or missing backend call fails the test`() {
        withKnownIssue { _ = try? FakeBackend([.currentUser(.success(.ada))]).logOut(.ada) }
        withKnownIssue { _ = FakeBackend([.currentUser(.success(.ada))]) }
    }
}
