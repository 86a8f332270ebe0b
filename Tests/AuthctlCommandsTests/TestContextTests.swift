import AuthModel
import CommandTestSupport
import Testing

/// The stubs fail a test that uses something it did not provide, or that leaves something provided unused.
@Suite struct TestContextTests {
    @Test func `an unexpected request fails the test`() {
        withKnownIssue { _ = TestContext().run("login", "ada", "--password-stdin", stdin: "x") }
    }

    @Test func `a request that differs from the expected one fails the test`() {
        withKnownIssue {
            let world = TestContext()
            world.server.expect(.logIn("ada", "other"))
            _ = world.run("login", "ada", "--password-stdin", stdin: "x")
        }
    }

    @Test func `an expected request that is not sent fails the test`() {
        withKnownIssue { TestContext().server.expect(.logIn()) }
    }

    @Test func `an unexpected question fails the test`() {
        withKnownIssue {
            let world = TestContext()
            world.isInputTerminal = true
            _ = world.run("login")
        }
    }

    @Test func `a prompt that echoes a secret answer fails the test`() {
        withKnownIssue {
            let world = TestContext()
            world.isInputTerminal = true
            world.terminal.answer(.shown("secret"))
            _ = world.run("login", "ada")
        }
    }

    @Test func `an unused answer fails the test`() {
        withKnownIssue { TestContext().terminal.answer(.shown("ada")) }
    }

    @Test func `reading standard input that was not provided fails the test`() {
        withKnownIssue { _ = TestContext().run("login", "ada", "--password-stdin") }
    }

    @Test func `an unexpected command or server fails the test`() {
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
