import Expectations
import Platform

@Suite struct EnvironmentTests {
    @Test(arguments: [
        (nil as String?, nil as String?, false), ("", nil, false), ("0", "0", false), ("false", "false", false),
        ("1", "1", true), ("true", "true", true), ("no", "no", true),
    ])
    func `a boolean variable is true unless unset, empty, 0 or false`(value: String?, expected: String?, isOn: Bool) {
        let environment = Environment.fixed(value.map { ["X": $0] } ?? [:])
        expect(environment["X"], expected)
        expect(environment.isOn("X"), isOn)
        expect(environment.givenValue("X"), value)
    }
}
