import AuthModel
import Testing

@Suite struct AuthErrorTests {
    @Test func `says first what could not be done`() {
        let error = AuthError(.connect, "nobody listens").explaining("cannot log in").explaining("no luck")
        #expect(error.message == "no luck: cannot log in: nobody listens")
    }

    @Test func `keeps everything else when it is explained`() {
        let error = AuthError(
            .weakPassword, "too weak", next: "a longer one", server: ServerDetail(status: 400, code: 142),
            fields: [FieldFault("password", "is too weak")], retryAfter: 5)
        var expected = error
        expected.message = "cannot: too weak"
        #expect(error.explaining("cannot") == expected)
    }

    @Test func `an error takes suggested steps only if it has none`() {
        #expect(AuthError(.connect, "x").suggesting("try again", "give up").nextSteps == ["try again", "give up"])
        #expect(AuthError(.connect, "x", next: "first").suggesting("second").nextSteps == ["first"])
    }

    @Test func `a step for afterwards follows the step that fixes the cause`() {
        let step = NextStep("log in", run: ["login"])
        #expect(
            AuthError(.noSpace, "x").suggesting(afterwards: step).nextSteps
                == [NextStep("once that is fixed, log in", run: ["login"])])
        #expect(
            AuthError(.noSpace, "x", next: "free some space").suggesting(afterwards: step).nextSteps
                == ["free some space", NextStep("then log in", run: ["login"])])
    }
}
