import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Tokens from other sources, and saved sessions.
@Suite struct RestAuthTokenTests {
    @Test func `a user has the members that the site gives, without secrets`() throws {
        let backend = RestAuthBackend.replaying(
            .get(
                "user/", as: "Token 0a1b", 200,
                #"{"id":"6f1c","username":"","email":"a@b.example","key":"k","password":"p","_x":1,"age":3}"#))
        let user = User(id: "6f1c", email: "a@b.example", fields: ["_x": 1, "age": 3])
        #expect(try backend.currentUser(.key) == Reply(user))
    }
}
