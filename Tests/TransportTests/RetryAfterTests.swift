import Expectations
import Foundation
import Platform
import Transport

@Suite struct RetryAfterTests {
    /// 1994-11-06T08:49:37Z.
    static let now = Instant(seconds: 784_111_777)

    @Test(arguments: [
        ("0", 0), ("1", 1), ("007", 7), (" 19\t", 19), ("999999999", 999_999_999),
        ("1000000000", 1_000_000_000), ("1000000001", 1_000_000_000),
        ("99999999999999999999999999", 1_000_000_000),
    ])
    func `seconds in Retry-After are limited to about thirty years`(value: String, seconds: Int) {
        expect(RetryAfter.seconds(value, now: Self.now), seconds)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("Wed, 09 Nov 1994 08:49:37 GMT", 259_200),
        ("Sun, 06 Nov 1994 08:49:60 GMT", 22),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 1_000_000_000),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sunday, 06-Nov-05 08:49:37 GMT", 347_155_200),
        ("Sun Nov  6 08:50:37 1994", 60), ("Wed Nov 16 08:49:37 1994", 864_000),
    ])
    func `an HTTP-date in Retry-After is converted to seconds`(value: String, seconds: Int) {
        expect(RetryAfter.seconds(value, now: Self.now), seconds)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:36 GMT", "Thu, 01 Jan 1970 00:00:00 GMT",
        "Thu, 01 Jan 0001 00:00:00 GMT",
    ])
    func `a past HTTP-date in Retry-After is converted to 0 seconds`(value: String) {
        expect(RetryAfter.seconds(value, now: Self.now), 0)
    }

    @Test func `the time until an HTTP-date in Retry-After is rounded up to whole seconds`() {
        let now = Self.now.adding(.milliseconds(250))
        expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:39 GMT", now: now), 2)
    }

    @Test(arguments: [
        "", " ", "-5", "+5", "1.5", "1e3", "0x10", "5s", "soon", "٣", "5 5", "1,2",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT",
        "Thu, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37",
        "Sun Nov  6 08:49:37 94", "Sun nov  6 08:49:37 1994",
        "1994-11-06T08:49:37Z",
    ])
    func `a malformed Retry-After is ignored`(value: String) {
        expect(RetryAfter.seconds(value, now: Self.now), nil)
    }

    /// The server's clock is an hour behind `now`.
    @Test func `a date in Retry-After counts from the response's own Date`() {
        let headers: HTTPHeaders = [
            "Retry-After": "Sun, 06 Nov 1994 07:49:39 GMT", "Date": "Sun, 06 Nov 1994 07:49:37 GMT",
        ]
        expect(HTTPResponse(status: 429, headers: headers).retryAfter(now: Self.now), 2)
    }

    @Test func `the field name Retry-After is case-insensitive`() {
        expect(HTTPResponse(status: 429, headers: ["retry-after": "3"]).retryAfter(now: Self.now), 3)
        expect(HTTPResponse(status: 429).retryAfter(now: Self.now), nil)
    }
}
