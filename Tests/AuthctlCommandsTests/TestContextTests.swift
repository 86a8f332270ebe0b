import AuthModel
import CommandTestSupport
import Testing

/// The stubs fail a test that touches what it did not provide, or provided what it did not touch.
@Suite struct TestContextTests {
    @Test func `fails a test whose request nobody expected`() {
        withKnownIssue { _ = TestContext().run("login", "ada", "--password-stdin", stdin: "x") }
    }

    @Test func `fails a test whose request differs from the expected one`() {
        withKnownIssue {
            let world = TestContext()
            world.server.expect(.logIn("ada", "other"))
            _ = world.run("login", "ada", "--password-stdin", stdin: "x")
        }
    }

    @Test func `fails a test that expected a request in vain`() {
        withKnownIssue { TestContext().server.expect(.logIn()) }
    }

    @Test func `fails a test in which a question was not expected`() {
        withKnownIssue {
            let world = TestContext()
            world.isInputTerminal = true
            _ = world.run("login")
        }
    }

    @Test func `fails a test in which an answer would have been shown that must not be`() {
        withKnownIssue {
            let world = TestContext()
            world.isInputTerminal = true
            world.terminal.answer(.shown("secret"))
            _ = world.run("login", "ada")
        }
    }

    @Test func `fails a test with an answer that nobody asked for`() {
        withKnownIssue { TestContext().terminal.answer(.shown("ada")) }
    }

    @Test func `fails a test that reads a standard input it did not provide`() {
        withKnownIssue { _ = TestContext().run("login", "ada", "--password-stdin") }
    }

    @Test func `fails a test that runs a command or a server it did not provide`() {
        withKnownIssue { _ = TestContext().run("serve") }
        withKnownIssue {
            let world = TestContext()
            world.sessions.put(.ada)
            _ = world.run("exec", "--", "true")
        }
    }

    @Test func `fails a test whose backend is asked for something out of turn, or not at all`() {
        withKnownIssue { _ = try? FakeBackend([.currentUser(.success(.ada))]).logOut(.ada) }
        withKnownIssue { _ = FakeBackend([.currentUser(.success(.ada))]) }
    }
}
