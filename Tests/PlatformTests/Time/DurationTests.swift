import Platform
import Testing

@Suite struct DurationTests {
    @Test(arguments: [
        (Duration.zero, 0 as Int64), (.seconds(2), 2000), (.milliseconds(1), 1), (.microseconds(1999), 1),
        (.microseconds(-1999), -1), (.seconds(-2), -2000), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
    ])
    func `the milliseconds of a duration are rounded toward zero and clamped`(duration: Duration, milliseconds: Int64) {
        #expect(duration.milliseconds == milliseconds)
    }

    @Test(arguments: [
        (Duration.zero, "0 ms"), (.milliseconds(300), "300 ms"), (.seconds(10), "10 s"),
        (.milliseconds(1500), "1500 ms"),
        (.seconds(1) + .microseconds(5), "1 s"),
    ])
    func `a duration of one or more whole seconds is printed in seconds, any other in milliseconds`(
        duration: Duration, text: String
    ) {
        #expect(duration.text == text)
    }
}
