import AuthModel
import JSON
import Testing
import Transport

@testable import AuthBackends

@Suite struct RestAuthErrorsTests {
    typealias Call = RestAuthErrors.Call

    static let page = "<html><title>Gateway</title></html>"

    private func refusal(
        _ status: Int, _ body: String, _ call: Call, headers: HTTPHeaders = [:]
    ) throws -> AuthError {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        return try failure { _ = try RestAuthErrors.check(response, to: request, call, now: .sampleNow) }
    }

    @Test(arguments: Call.allCases)
    func `leave a doubt when a gateway lost the answer to what must not be done twice`(call: Call) throws {
        let repeatable: [Call] = [.logIn, .secondFactor, .session, .token, .logOut, .socialAccounts]
        for status in [502, 504] {
            let error = try refusal(status, Self.page, call)
            #expect(error.reason == (repeatable.contains(call) ? .serverFault : .outcomeUnknown))
            #expect((error.hint == nil) == repeatable.contains(call))
        }
    }

    @Test(arguments: Call.allCases)
    func `tell a page from an answer by its kind, whatever the status is`(call: Call) throws {
        for status in [200, 300, 400, 418] {
            #expect(try refusal(status, Self.page, call).reason == .brokenAnswer)
        }
        #expect(try refusal(401, Self.page, call).reason == .forbidden)
        #expect(try refusal(403, Self.page, call).reason == .forbidden)
        let unlabelled = try refusal(200, "{}", call, headers: ["Content-Type": "text/html"])
        #expect(unlabelled.reason == .brokenAnswer)
    }

    @Test(arguments: Call.allCases)
    func `never show a page of a refusal`(call: Call) throws {
        for status in [400, 401, 403, 404, 405, 413, 429, 500, 503] {
            let error = try refusal(status, Self.page, call)
            var text = ""
            dump(error, to: &text)
            #expect(!text.contains("<") && !text.contains("Gateway"), "\(status)")
            #expect(error.server?.status == status)
        }
    }

    @Test(arguments: Call.allCases)
    func `take an empty answer for a good one only where nothing is asked for`(call: Call) throws {
        let request = HTTPRequest(.post, "https://a.example/")
        let empty = HTTPResponse(status: 204)
        if [Call.session, .token, .refresh, .socialAccounts].contains(call) {
            #expect(try refusal(204, "", call).reason == .brokenAnswer)
        } else {
            #expect(try RestAuthErrors.check(empty, to: request, call, now: .sampleNow) == [:])
        }
    }

    @Test(arguments: Call.allCases)
    func `say when to come back`(call: Call) throws {
        let throttled = try refusal(429, #"{"detail":"Request was throttled."}"#, call, headers: ["Retry-After": "59"])
        #expect(throttled.reason == .rateLimited)
        #expect(throttled.retryAfter == 59)
        let busy = try refusal(503, Self.page, call, headers: ["Retry-After": "1"])
        #expect(busy.retryAfter == 1)
        #expect(busy.hint == "try again after 1 second")
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
