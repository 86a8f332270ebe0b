import AuthModel
import Testing

@Suite struct AuthErrorTests {
    @Test func `says first what could not be done`() {
        let error = AuthError(.connect, "nobody listens").explaining("cannot log in").explaining("no luck")
        #expect(error.message == "no luck: cannot log in: nobody listens")
    }

    @Test func `keeps everything else when it is explained`() {
        let error = AuthError(
            .weakPassword, "too weak", hint: "a longer one", server: ServerDetail(status: 400, code: 142),
            fields: [FieldFault("password", "is too weak")], retryAfter: 5)
        var expected = error
        expected.message = "cannot: too weak"
        #expect(error.explaining("cannot") == expected)
    }

    @Test func `takes a hint if it has none`() {
        #expect(AuthError(.connect, "x").hinting("try again").hint == "try again")
        #expect(AuthError(.connect, "x", hint: "first").hinting("second").hint == "first")
    }
}
