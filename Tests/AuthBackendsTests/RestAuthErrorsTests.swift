import AuthModel
import JSON
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthErrorsTests {
    /// Those that a backend asks such a site for.
    static let operations: [Operation] = [
        .signUp, .logIn, .secondFactor, .currentUser, .logInWithToken, .logOut, .refresh, .changePassword,
        .requestPasswordReset, .sendVerification, .verifyEmail, .logInWithFacebook, .linkFacebook, .listIdentities,
        .unlinkFacebook,
    ]

    static let page = "<html><title>Gateway</title></html>"

    private func refusal(
        _ status: Int, _ body: String, _ call: Operation, headers: HTTPHeaders = [:]
    ) throws -> AuthError {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        return try failure {
            _ = try RestAuthErrors.check(response.redacted(for: request), to: request, call, now: .sampleNow)
        }
    }

    @Test(arguments: Self.operations)
    func `leave a doubt when a gateway lost the answer to what must not be done twice`(call: Operation) throws {
        let repeatable: [Operation] = [.logIn, .secondFactor, .currentUser, .logInWithToken, .logOut, .listIdentities]
        for status in [502, 504] {
            let error = try refusal(status, Self.page, call)
            #expect(error.reason == (repeatable.contains(call) ? .serverFault : .outcomeUnknown))
            #expect(error.nextSteps.isEmpty == repeatable.contains(call))
        }
    }

    @Test(arguments: Self.operations)
    func `tell a page from an answer by its kind, whatever the status is`(call: Operation) throws {
        for status in [200, 300, 400, 418] {
            #expect(try refusal(status, Self.page, call).reason == .brokenAnswer)
        }
        #expect(try refusal(401, Self.page, call).reason == .forbidden)
        #expect(try refusal(403, Self.page, call).reason == .forbidden)
        let unlabelled = try refusal(200, "{}", call, headers: ["Content-Type": "text/html"])
        #expect(unlabelled.reason == .brokenAnswer)
    }

    @Test(arguments: Self.operations)
    func `never show a page of a refusal`(call: Operation) throws {
        for status in [400, 401, 403, 404, 405, 413, 429, 500, 503] {
            let error = try refusal(status, Self.page, call)
            var text = ""
            dump(error, to: &text)
            #expect(!text.contains("<") && !text.contains("Gateway"), "\(status)")
            #expect(error.server?.status == status)
        }
    }

    @Test(arguments: Self.operations)
    func `take an empty answer for a good one only where nothing is asked for`(call: Operation) throws {
        let request = HTTPRequest(.post, "https://a.example/")
        let empty = HTTPResponse(status: 204)
        if [Operation.currentUser, .logInWithToken, .refresh, .listIdentities].contains(call) {
            #expect(try refusal(204, "", call).reason == .brokenAnswer)
        } else {
            #expect(try RestAuthErrors.check(empty.redacted(for: request), to: request, call, now: .sampleNow) == [:])
        }
    }

    @Test(arguments: Self.operations)
    func `say when to come back`(call: Operation) throws {
        let throttled = try refusal(429, #"{"detail":"Request was throttled."}"#, call, headers: ["Retry-After": "59"])
        #expect(throttled.reason == .rateLimited)
        #expect(throttled.retryAfter == 59)
        let busy = try refusal(503, Self.page, call, headers: ["Retry-After": "1"])
        #expect(busy.retryAfter == 1)
        #expect(busy.nextSteps == ["try again after 1 second"])
        #expect(try refusal(503, Self.page, call).reason == .serverFault)
        #expect(try refusal(500, Self.page, call, headers: ["Retry-After": "9"]).retryAfter == nil)
    }

    @Test(arguments: [
        (
            #"{"non_field_errors":["Must include \"email\" and \"password\"."]}"#,
            "the site knows people by their e-mail"
        ),
        (
            #"{"non_field_errors":["Must include \"username\" and \"password\"."]}"#,
            "the site knows people by their user name"
        ),
    ])
    func `tell what a site logs in by`(body: String, message: String) throws {
        let error = try refusal(400, body, .logIn)
        #expect(error.reason == .invalidFields)
        #expect(error.message == message)
    }

    @Test(arguments: [
        ("E-mail is not verified.", AuthError.Reason.emailUnverified),
        ("Email is not verified.", .emailUnverified), ("User account is disabled.", .accountDisabled),
        ("Too many failed login attempts. Try again later.", .rateLimited),
        ("Unable to log in with provided credentials.", .wrongPassword),
        ("Die angegebenen Zugangsdaten stimmen nicht.", .wrongPassword),
    ])
    func `know the texts of a log-in`(text: String, reason: AuthError.Reason) throws {
        #expect(try refusal(400, #"{"non_field_errors":["\#(text)"]}"#, .logIn).reason == reason)
    }
}
