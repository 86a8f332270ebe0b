import AuthModel
import CommandTestSupport
import Testing

@testable import AuthClient

@Suite struct DeviceLoginTests {
    private typealias Answer = Result<DeviceLoginProgress, AuthError>

    private static let token = Secret("EAAB")
    private static let done = Answer.success(.done(token: token))
    private static let noRoute = Answer.failure(AuthError(.connect, "no route"))

    private let time = VirtualTime()
    private let journal = Journal()

    /// What comes of a code that is good for twelve seconds, and asked about every five.
    private func token(lifetime: Int = 12, interval: Int = 5, _ answers: Answer...) throws(AuthError) -> Secret {
        let code = DeviceCode(
            secret: Secret("long-code"), userCode: "AB12-CD34", verificationURL: "https://www.facebook.com/device",
            completeURL: "https://www.facebook.com/device?user_code=AB12-CD34", lifetime: .seconds(lifetime),
            interval: .seconds(interval))
        let login = DeviceLogin(
            facebook: FakeFacebook(answers.map { .progress($0) }),
            app: FacebookApp(id: "1000", clientToken: Secret("abc")), events: RecordedEvents(journal: journal),
            waiting: time.waiting)
        return try login.token(for: code)
    }

    @Test func `asks no sooner and no more often than it was told`() throws {
        #expect(
            try token(lifetime: 420, .success(.pending), .success(.pending), .success(.pending), Self.done)
                == Self.token)
        #expect(time.waits == [.seconds(5), .seconds(5), .seconds(5), .seconds(5)])
        #expect(journal.lines == [])
    }

    @Test func `asks half as often for good whenever it was too soon`() throws {
        let tooSoon = Answer.success(.askedTooSoon)
        #expect(
            try token(lifetime: 420, tooSoon, .success(.pending), tooSoon, .success(.pending), Self.done)
                == Self.token)
        #expect(time.waits == [.seconds(5), .seconds(10), .seconds(10), .seconds(20), .seconds(20)])
    }

    @Test(arguments: [(5, [5, 10, 20, 30, 30, 30]), (20, [20, 30, 30, 30, 30, 30]), (60, [60, 60, 60, 60, 60, 60])])
    func `asks at least every half minute, if it may`(interval: Int, waits: [Int]) throws {
        let tooSoon = Answer.success(.askedTooSoon)
        #expect(
            try token(lifetime: 420, interval: interval, tooSoon, tooSoon, tooSoon, tooSoon, tooSoon, Self.done)
                == Self.token)
        #expect(time.waits == waits.map { .seconds($0) })
    }

    @Test func `asks once about a code that does not live as long as it should wait`() throws {
        #expect(try token(lifetime: 2, interval: 60, Self.done) == Self.token)
        #expect(time.waits == [.seconds(2)])
    }

    @Test func `asks half as often for good when Facebook is asked too much altogether`() throws {
        let tooMuch = Answer.failure(AuthError(.rateLimited, "Facebook was asked too often"))
        #expect(try token(lifetime: 420, tooMuch, .success(.pending), Self.done) == Self.token)
        #expect(time.waits == [.seconds(5), .seconds(10), .seconds(10)])
        #expect(journal.lines == ["note: Facebook was asked too often; trying again"])
    }

    @Test func `is cancelled where the user declines`() throws {
        let error = try failure { _ = try token(.success(.pending), .success(.declined)) }
        #expect(error.reason == .cancelled)
        #expect(error.message == "the log-in was declined at Facebook")
    }

    @Test func `runs out when Facebook says so`() throws {
        let error = try failure { _ = try token(lifetime: 420, .success(.pending), .success(.runOut)) }
        #expect(error.reason == .timeout)
        #expect(error.message == "nobody entered the code at Facebook in time")
        #expect(error.hints == ["run the command again for another code"])
    }

    @Test func `runs out by the clock here`() throws {
        let error = try failure { _ = try token(.success(.pending), .success(.pending)) }
        #expect(error.reason == .timeout)
        // The third question would come three seconds too late.
        #expect(time.waits == [.seconds(5), .seconds(5)])
        #expect(error.message == "nobody entered the code at Facebook in time")
    }

    @Test func `takes an answer that comes with the last question`() throws {
        #expect(try token(.success(.pending), Self.done) == Self.token)
        #expect(try token(lifetime: 15, .success(.pending), .success(.pending), Self.done) == Self.token)
    }

    @Test(arguments: [
        AuthError.Reason.dns, .connect, .proxy, .timeout, .brokenAnswer, .serverFault, .rateLimited,
    ])
    func `goes on when Facebook does not answer for a while`(reason: AuthError.Reason) throws {
        #expect(try token(lifetime: 420, .failure(AuthError(reason, "no answer")), Self.done) == Self.token)
        #expect(journal.lines == ["note: no answer; trying again"])
    }

    @Test func `notes what keeps Facebook from answering once each time`() throws {
        #expect(
            try token(lifetime: 420, Self.noRoute, Self.noRoute, .success(.pending), Self.noRoute, Self.done)
                == Self.token)
        #expect(journal.lines == ["note: no route; trying again", "note: no route; trying again"])
        #expect(time.waits == Array(repeating: .seconds(5), count: 5))
    }

    @Test func `tells what kept Facebook from answering until the end`() throws {
        let error = try failure { _ = try token(.success(.pending), Self.noRoute) }
        #expect(error.reason == .connect)
        #expect(error.message == "the code has run out meanwhile: no route")
    }

    @Test func `blames nobody for trouble that was over before the end`() throws {
        let error = try failure { _ = try token(Self.noRoute, .success(.pending)) }
        #expect(error.reason == .timeout)
    }

    @Test func `ends at once where the code is used up`() throws {
        var fault = AuthError(.brokenAnswer, "Facebook's answer holds no token")
        fault.isAfterSuccess = true
        #expect(try failure { _ = try token(lifetime: 420, .failure(fault)) } == fault)
        #expect(time.waits == [.seconds(5)])
    }

    @Test(arguments: [AuthError.Reason.tls, .badAppKey, .forbidden, .redirect])
    func `ends at once with what another try would not mend`(reason: AuthError.Reason) throws {
        let fault = AuthError(reason, "no")
        #expect(try failure { _ = try token(lifetime: 420, .failure(fault)) } == fault)
        #expect(time.waits == [.seconds(5)])
        #expect(journal.lines == [])
    }
}
