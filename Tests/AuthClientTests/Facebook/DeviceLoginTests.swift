import CommandTestSupport

@testable import AuthClient

@Suite struct DeviceLoginTests {
    private typealias Answer = Result<DeviceLoginProgress, AuthError>

    private static let token = Secret("EAAB")
    private static let done = Answer.success(.done(token: token))
    private static let noRoute = Answer.failure(AuthError(.connect, "no route"))

    private let time = VirtualTime()
    private let journal = Journal()

    /// Returns the token of a device login. By default, the code expires after 12 s, and polls are 5 s apart.
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

    @Test func `a device login polls at the interval from Facebook's response`() throws {
        try expect(
            token(lifetime: 420, .success(.pending), .success(.pending), .success(.pending), Self.done), Self.token)
        expect(time.waits, [.seconds(5), .seconds(5), .seconds(5), .seconds(5)])
        expect(journal.lines, [])
    }

    @Test func `a device login doubles its interval permanently after each slow-down response`() throws {
        let tooSoon = Answer.success(.slowDown)
        try expect(
            token(lifetime: 420, tooSoon, .success(.pending), tooSoon, .success(.pending), Self.done), Self.token)
        expect(time.waits, [.seconds(5), .seconds(10), .seconds(10), .seconds(20), .seconds(20)])
    }

    @Test(arguments: [(5, [5, 10, 20, 30, 30, 30]), (20, [20, 30, 30, 30, 30, 30]), (60, [60, 60, 60, 60, 60, 60])])
    func `doubling never raises the device login interval above 30 seconds`(interval: Int, waits: [Int]) throws {
        let tooSoon = Answer.success(.slowDown)
        try expect(
            token(lifetime: 420, interval: interval, tooSoon, tooSoon, tooSoon, tooSoon, tooSoon, Self.done), Self.token
        )
        expect(time.waits, waits.map { .seconds($0) })
    }

    @Test func `a device login polls once if the code expires before the first interval ends`() throws {
        try expect(token(lifetime: 2, interval: 60, Self.done), Self.token)
        expect(time.waits, [.seconds(2)])
    }

    @Test func `a device login doubles its interval permanently after a rate limit`() throws {
        let tooMuch = Answer.failure(AuthError(.rateLimited, "too many requests"))
        try expect(token(lifetime: 420, tooMuch, .success(.pending), Self.done), Self.token)
        expect(time.waits, [.seconds(5), .seconds(10), .seconds(10)])
        MessageFile("use-cases/facebook-device").expect(journal.lines.joined(separator: "\n"))
    }

    @Test func `a device login is cancelled if the user declines it on Facebook`() throws {
        let error = try failure { _ = try token(.success(.pending), .success(.declined)) }
        error.expectMessage(in: "use-cases/facebook-device")
    }

    @Test func `a device login times out if Facebook reports that the code has expired`() throws {
        let error = try failure { _ = try token(lifetime: 420, .success(.pending), .success(.expired)) }
        error.expectMessage(in: "use-cases/facebook-device")
    }

    @Test func `a device login times out when the code expires by the local clock`() throws {
        let error = try failure { _ = try token(.success(.pending), .success(.pending)) }
        expect(error.reason, .timeout)
        // The third poll would be three seconds after the expiry.
        expect(time.waits, [.seconds(5), .seconds(5)])
    }

    @Test func `a device login accepts a token from its last poll, even if the code expires at that time`() throws {
        try expect(token(.success(.pending), Self.done), Self.token)
        try expect(token(lifetime: 15, .success(.pending), .success(.pending), Self.done), Self.token)
    }

    @Test(arguments: [AuthError.Reason.dns, .connect, .proxy, .timeout, .invalidResponse, .serverFault, .rateLimited])
    func `a device login continues after a temporary error`(reason: AuthError.Reason) throws {
        try expect(token(lifetime: 420, .failure(AuthError(reason, "no response")), Self.done), Self.token)
        expect(journal.lines.map { String($0.prefix(6)) }, ["note: "])
    }

    @Test func `a device login prints one note per series of consecutive connection errors`() throws {
        try expect(
            token(lifetime: 420, Self.noRoute, Self.noRoute, .success(.pending), Self.noRoute, Self.done), Self.token)
        MessageFile("use-cases/facebook-device").expect(journal.lines.joined(separator: "\n"))
        expect(time.waits, Array(repeating: .seconds(5), count: 5))
    }

    @Test func `a device login reports a connection error that lasts until the code expires`() throws {
        try failure { try token(.success(.pending), Self.noRoute) }.expectMessage(in: "use-cases/facebook-device")
    }

    @Test func `a device login does not report a connection error that ends before the code expires`() throws {
        let error = try failure { _ = try token(Self.noRoute, .success(.pending)) }
        expect(error.reason, .timeout)
    }

    @Test func `a device login fails at once if Facebook accepts the code but its response has no token`() throws {
        var fault = AuthError(.invalidResponse, "the response holds no token")
        fault.isAfterSuccess = true
        try expect(failure { _ = try token(lifetime: 420, .failure(fault)) }, fault)
        expect(time.waits, [.seconds(5)])
    }

    @Test(arguments: [AuthError.Reason.tls, .badAppKey, .forbidden, .redirect])
    func `a device login fails at once on an error that no retry can fix`(reason: AuthError.Reason) throws {
        let fault = AuthError(reason, "no")
        try expect(failure { _ = try token(lifetime: 420, .failure(fault)) }, fault)
        expect(time.waits, [.seconds(5)])
        expect(journal.lines, [])
    }
}
