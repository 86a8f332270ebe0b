import AuthModel
import Expectations
import MessageSnapshots

@Suite struct AuthErrorTests {
    @Test func `an explanation added to an error is placed before the error message`() {
        let error = AuthError(.connect, "connection refused").explaining("cannot log in").explaining("setup failed")
        expect(error.message, "setup failed: cannot log in: connection refused")
    }

    @Test func `an explanation added to an error changes only the error message`() {
        let error = AuthError(
            .weakPassword, "too weak", next: "choose a longer one", server: ServerDetail(status: 400, code: 142),
            fields: [FieldFault("password", "is too weak")], retryAfter: 5)
        var expected = error
        expected.message = "cannot: too weak"
        expect(error.explaining("cannot"), expected)
    }

    @Test func `suggested next steps are added only to an error without next steps`() {
        expect(AuthError(.connect, "x").suggesting("try again", "give up").nextSteps, ["try again", "give up"])
        expect(AuthError(.connect, "x", next: "first").suggesting("second").nextSteps, ["first"])
    }

    @Test func `a follow-up step is added after the step that fixes the cause, if the error has one`() {
        let step = NextStep("log in", run: ["login"])
        let alone = AuthError(.noSpace, "x").suggesting(afterwards: step).nextSteps
        let second = AuthError(.noSpace, "x", next: "free some space").suggesting(afterwards: step).nextSteps
        expect(alone.map(\.command), [["login"]])
        expect(second.map(\.command), [[], ["login"]])
        MessageFile("next-steps").expect(alone.map(\.sentence).joined(separator: "\n"), "the cause has no step")
        MessageFile("next-steps").expect(second.map(\.sentence).joined(separator: "\n"), "the cause has a step")
    }
}
