import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

@Suite struct TimeStyleTests {
    @Test(
        arguments: [
            (0, "just now"), (-59, "just now"), (59, "just now"), (-60, "1 minute ago"), (-7_199, "1 hour ago"),
            (-7_200, "2 hours ago"), (86_400, "in 1 day"), (-40 * 86_400, "1 month ago"),
            (364 * 86_400, "in 12 months"),
            (800 * 86_400, "in 2 years"),
        ] as [(Int64, String)])
    func `on a terminal, a time is printed relative to now`(seconds: Int64, text: String) {
        let now = Instant.sampleNow
        #expect(TimeStyle(now: now).text(now.adding(.seconds(seconds))) == text)
    }

    @Test func `without a terminal, a time is printed in RFC 3339 format`() {
        #expect(TimeStyle(now: nil).text(Instant(seconds: 0)) == "1970-01-01T00:00:00Z")
    }

    @Test func `a missing time is printed as an empty string`() {
        #expect(TimeStyle(now: .sampleNow).text(nil) == "")
    }
}
