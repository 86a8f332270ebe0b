import Platform
import Testing

@Suite struct ClocksTests {
    @Test(arguments: [Duration.zero, .seconds(-1), .milliseconds(5)])
    func `a pause is at least as long as requested`(length: Duration) {
        let start = monotonicNow()
        pause(length)
        #expect(monotonicNow() - start >= length)
    }
}
