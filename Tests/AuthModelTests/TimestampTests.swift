import AuthModel
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"),
        (1_767_323_045, "2026-01-02T03:04:05Z"),
        (1_767_323_045.999, "2026-01-02T03:04:05Z"),
        (-0.5, "1969-12-31T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
    func `is written in whole seconds that never lie ahead`(seconds: Double, text: String) {
        #expect(Timestamp.text(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [
        ("2026-01-02T03:04:05Z", 1_767_323_045),
        ("2026-01-02T03:04:05.5Z", 1_767_323_045.5),
        ("2026-01-02T03:04:05.678Z", 1_767_323_045.678),
        ("2026-01-02T04:04:05+01:00", 1_767_323_045),
        ("2026-01-02T04:04:05.5+01:00", 1_767_323_045.5),
        ("2026-01-02T03:04:05.678123Z", 1_767_323_045.678),
    ])
    func `is read with and without fractions and zones`(text: String, seconds: Double) throws {
        let date = try #require(Timestamp.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
    }

    @Test(arguments: ["", "2026", "2026-01-02", "yesterday", "2026-13-02T03:04:05Z", "1767323045", "2026-01-02T03:04Z"])
    func `is not read from anything else`(text: String) {
        #expect(Timestamp.date(text) == nil)
    }

    @Test func `is the same text after reading`() throws {
        let text = "2026-01-02T03:04:05Z"
        #expect(Timestamp.text(try #require(Timestamp.date(text))) == text)
    }
}
