import Expectations
import Platform

@Suite struct InstantTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"),
            (1_767_323_045_000, "2026-01-02T03:04:05Z"),
            (1_767_323_045_999, "2026-01-02T03:04:05Z"),
            (-500, "1969-12-31T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59Z"),
            (.max, "9999-12-31T23:59:59Z"), (.min, "0001-01-01T00:00:00Z"),
        ] as [(Int64, String)])
    func `an instant is formatted in whole seconds, rounded down`(milliseconds: Int64, text: String) {
        expect(Instant(milliseconds: milliseconds).text, text)
    }

    @Test(arguments: [
        ("2026-01-02T03:04:05Z", 1_767_323_045_000),
        ("2026-01-02T03:04:05.5Z", 1_767_323_045_500),
        ("2026-01-02T03:04:05.678Z", 1_767_323_045_678),
        ("2026-01-02T04:04:05+01:00", 1_767_323_045_000),
        ("2026-01-02T04:04:05.5+01:00", 1_767_323_045_500),
        ("2026-01-02T03:04:05.678923Z", 1_767_323_045_678),
    ])
    func `an instant in UTC or with an offset is parsed, with or without fractional seconds`(
        text: String, milliseconds: Int64
    ) {
        expect(Instant(text)?.milliseconds, milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-01-02", "yesterday", "2026-13-02T03:04:05Z", "1767323045", "2026-01-02T03:04Z",
        "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05+1:00", "2026-02-30T03:04:05Z",
        "2026-01-02T03:04:05Z ",
    ])
    func `a malformed RFC 3339 timestamp is rejected`(text: String) {
        expect(Instant(text), nil)
    }

    @Test func `formatting a parsed instant restores its text`() throws {
        let text = "2026-01-02T03:04:05Z"
        try expect(#require(Instant(text)).text, text)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_767_323_045_678, "2026-01-02T03:04:05.678Z"),
            (951_782_400_001, "2000-02-29T00:00:00.001Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `an instant can be formatted with milliseconds`(milliseconds: Int64, text: String) {
        expect(Instant(milliseconds: milliseconds).textWithMilliseconds, text)
    }
}
