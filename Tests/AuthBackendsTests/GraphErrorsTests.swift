import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// What the Graph's refusals are read as.
@Suite struct GraphErrorsTests {
    static let token = Secret("EAAB-user-token")

    /// The error of a question about a user's token.
    private static func asked(_ status: Int, _ answer: String) throws -> AuthError {
        let exchange = Exchange.graph("GET", "app?fields=id", token: token.reveal(), status, answer)
        return try failure { _ = try FacebookGraph.replaying(exchange).appID(of: token) }
    }

    /// The error of asking for a code.
    private static func begun(_ status: Int, _ answer: String) throws -> AuthError {
        let exchange = FacebookGraphTests.begun(answer, scope: "email", status)
        return try failure {
            _ = try FacebookGraph.replaying(exchange).beginDeviceLogin(.sample, permissions: ["email"])
        }
    }

    @Test(arguments: [
        (190, AuthError.Reason.tokenRefused, AuthError.Reason.badAppKey), (102, .tokenRefused, .badAppKey),
        (1, .serverFault, .serverFault), (2, .serverFault, .serverFault), (3, .forbidden, .forbidden),
        (4, .rateLimited, .rateLimited), (17, .rateLimited, .rateLimited), (32, .rateLimited, .rateLimited),
        (341, .rateLimited, .rateLimited), (613, .rateLimited, .rateLimited), (10, .tokenRefused, .forbidden),
        (200, .tokenRefused, .forbidden), (250, .tokenRefused, .forbidden), (299, .tokenRefused, .forbidden),
        (300, .tokenRefused, .forbidden), (100, .forbidden, .forbidden), (101, .badAppKey, .badAppKey),
        (368, .tokenRefused, .forbidden), (999_999, .tokenRefused, .forbidden), (0, .tokenRefused, .forbidden),
    ])
    func `are told apart by their code, whatever the status is`(
        code: Int, ofToken: AuthError.Reason, ofApp: AuthError.Reason
    ) throws {
        for status in [400, 401, 403, 500, 200] {
            let answer = #"{"error":{"message":"No.","type":"OAuthException","code":\#(code),"fbtrace_id":"A"}}"#
            let (token, app) = (try Self.asked(status, answer), try Self.begun(status, answer))
            #expect(token.reason == ofToken)
            #expect(app.reason == ofApp)
            #expect(token.server == ServerDetail(status: status, code: .integer(Int64(code)), message: "No."))
        }
    }

    @Test(arguments: [
        (AuthError.Reason.tokenRefused, 190, "Facebook refuses the token"),
        (.badAppKey, 101, "Facebook does not accept the app id and the client token"),
        (.rateLimited, 4, "Facebook was asked too often"), (.serverFault, 2, "Facebook failed"),
        (.forbidden, 100, "Facebook does not answer that"),
    ])
    func `are told in our words and quoted in Facebook's`(
        reason: AuthError.Reason, code: Int, message: String
    ) throws {
        let error = try Self.asked(400, #"{"error":{"message":"No.","code":\#(code)}}"#)
        #expect(error.reason == reason)
        #expect(error.message == #"\#(message): "No.""#)
        #expect(try Self.asked(400, #"{"error":{"code":\#(code)}}"#).message == message)
    }

    @Test(arguments: [
        (458, "the app's permission was withdrawn: log in to it with Facebook anew"),
        (459, "visit https://www.facebook.com first: Facebook wants something confirmed there"),
        (464, "visit https://www.facebook.com first: Facebook wants something confirmed there"),
        (460, "it is not good any more: get a new one"), (463, "it is not good any more: get a new one"),
        (466, "it is not good any more: get a new one"), (467, "it is not good any more: get a new one"),
        (468, "it is not good any more: get a new one"),
        (456, "get a new one, with the permissions that are needed"),
        (457, "get a new one, with the permissions that are needed"),
        (nil as Int?, "get a new one, with the permissions that are needed"),
    ])
    func `say by the subcode what to do about a token`(subcode: Int?, hint: String) throws {
        let member = subcode.map { #","error_subcode":\#($0)"# } ?? ""
        for code in [190, 102] {
            #expect(try Self.asked(400, #"{"error":{"code":\#(code)\#(member)}}"#).nextSteps == [NextStep(hint)])
        }
    }

    @Test(arguments: [
        ("458", 458 as Int64?), (#""458""#, 458), ("null", nil), (#""soon""#, nil), (#""""#, nil), ("[458]", nil),
    ])
    func `tell the subcode, also where it is a text`(subcode: String, told: Int64?) throws {
        let error = try Self.asked(400, #"{"error":{"code":190,"error_subcode":\#(subcode)}}"#)
        #expect(error.server == ServerDetail(status: 400, code: .integer(190), subcode: told))
        let withdrawn = "the app's permission was withdrawn: log in to it with Facebook anew"
        #expect(
            error.nextSteps == [
                NextStep(told == 458 ? withdrawn : "get a new one, with the permissions that are needed")
            ])
    }

    @Test func `say what to do about the app`() throws {
        let key = try Self.begun(400, #"{"error":{"code":101}}"#)
        #expect(
            key.nextSteps == ["both stand in the settings of the app at Facebook: the client token under 'Advanced'"])
        let refused = try Self.begun(400, #"{"error":{"code":3}}"#)
        #expect(refused.message == "Facebook does not let the app log in devices")
        #expect(refused.nextSteps.first?.sentence.contains("'Login from Devices'") == true)
        #expect(try Self.begun(400, #"{"error":{"code":2}}"#).nextSteps == ["try again in some minutes"])
    }

    @Test func `without a code are refusals of the token where they are of that kind`() throws {
        let answer = #"{"error":{"message":"No.","type":"OAuthException"}}"#
        #expect(try Self.asked(400, answer).reason == .tokenRefused)
        #expect(try Self.begun(400, answer).reason == .badAppKey)
        #expect(try Self.asked(400, #"{"error":{"message":"No."}}"#).reason == .brokenAnswer)
    }

    // MARK: - Words

    @Test(arguments: [
        (#""message":"For programs.","error_user_title":"T","error_user_msg":"For people.""#, "For people."),
        (#""message":"For programs.","error_user_msg":"""#, "For programs."),
        (#""message":"For programs.","error_user_msg":5"#, "For programs."), (#""message":"""#, nil as String?),
        (#""message":null"#, nil),
    ])
    func `have words for people before those for programs`(members: String, words: String?) throws {
        let error = try Self.asked(400, #"{"error":{"code":190,\#(members)}}"#)
        #expect(error.server?.message == words)
        #expect(error.message == "Facebook refuses the token" + (words.map { #": "\#($0)""# } ?? ""))
    }

    @Test func `repeat no token`() throws {
        let ofUser = try Self.asked(400, #"{"error":{"code":190,"message":"Malformed: EAAB-user-token."}}"#)
        #expect(ofUser.server?.message == "Malformed: <redacted>.")
        for text in ["1000|0c1d2e3f", "1000%7C0c1d2e3f", "0c1d2e3f"] {
            let ofApp = try Self.begun(400, #"{"error":{"code":190,"error_user_msg":"Bad \#(text)."}}"#)
            #expect(!ofApp.message.contains("0c1d2e3f"))
            #expect(ofApp.server?.message?.contains("<redacted>.") == true)
        }
    }

    @Test func `quote no more than two hundred letters`() throws {
        let text = String(repeating: "x", count: 500)
        let error = try Self.asked(400, #"{"error":{"code":100,"message":"\#(text)"}}"#)
        #expect(error.message == #"Facebook does not answer that: "\#(text.prefix(200))""#)
    }

    // MARK: - What is none of the Graph's

    @Test(arguments: [
        (200, "<html>", AuthError.Reason.brokenAnswer), (200, "", .brokenAnswer), (200, "[]", .brokenAnswer),
        (200, "5", .brokenAnswer), (404, "<html>", .brokenAnswer), (400, "", .brokenAnswer),
        (400, #"{"error":"no"}"#, .brokenAnswer), (403, "{}", .brokenAnswer), (429, "", .rateLimited),
        (500, "<html>", .serverFault), (502, "", .serverFault), (503, #"{"error":{}}"#, .serverFault),
    ])
    func `are told by the status where no Graph spoke`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        #expect(try Self.asked(status, answer).reason == reason)
        #expect(try Self.begun(status, answer).reason == reason)
        #expect(try failure { _ = try FacebookGraphTests.progress(status, answer) }.reason == reason)
    }
}
