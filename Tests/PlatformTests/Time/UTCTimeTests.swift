import Expectations
import Foundation
import Platform

@Suite struct UTCTimeTests {
    @Test func `UTC times agree with Foundation's calendar over nine centuries`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in Int64(-141_000)..<200_000 {
            let seconds = day * 86_400 + (day * 977 % 86_400 + 86_400) % 86_400
            let time = UTCTime(secondsSince1970: seconds)
            expect(time.secondsSince1970, seconds)
        }
        // Foundation is slow, so only every 29th day is compared with its calendar.
        for day in stride(from: Int64(-141_000), to: 200_000, by: 29) {
            let seconds = day * 86_400 + (day * 977 % 86_400 + 86_400) % 86_400
            let time = UTCTime(secondsSince1970: seconds)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
            let expected = [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second]
            let found = [time.year, time.month, time.day, time.hour, time.minute, time.second]
            expect(found, expected.compactMap { $0.map(Int64.init) })
        }
    }

    @Test(
        arguments: [
            (2026, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (0, 1, 1),
            (10_000, 1, 1),
        ] as [(Int64, Int64, Int64)])
    func `an invalid calendar date is rejected`(year: Int64, month: Int64, day: Int64) {
        expect(UTCTime(year: year, month: month, day: day), nil)
    }

    @Test func `a leap second counts as the preceding second`() {
        let leap = UTCTime(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
        expect(leap?.text, "2016-12-31T23:59:59")
        expect(UTCTime(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 61), nil)
        expect(UTCTime(year: 2016, month: 12, day: 31, hour: 24), nil)
    }
}

@Suite struct ClocksTests {
    @Test(arguments: [Duration.zero, .seconds(-1), .milliseconds(5)])
    func `a pause is at least as long as requested`(length: Duration) {
        let start = monotonicNow()
        pause(length)
        #expect(monotonicNow() - start >= length)
    }
}

@Suite struct DurationTests {
    @Test(arguments: [
        (Duration.zero, 0 as Int64), (.seconds(2), 2000), (.milliseconds(1), 1), (.microseconds(1999), 1),
        (.microseconds(-1999), -1), (.seconds(-2), -2000), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
    ])
    func `the milliseconds of a duration are rounded toward zero and clamped`(duration: Duration, milliseconds: Int64) {
        expect(duration.milliseconds, milliseconds)
    }

    @Test(arguments: [
        (Duration.zero, "0 ms"), (.milliseconds(300), "300 ms"), (.seconds(10), "10 s"),
        (.milliseconds(1500), "1500 ms"),
        (.seconds(1) + .microseconds(5), "1 s"),
    ])
    func `a duration of one or more whole seconds is printed in seconds, any other in milliseconds`(
        duration: Duration, text: String
    ) {
        expect(duration.text, text)
    }
}
