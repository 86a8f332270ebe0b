import Dispatch
import Platform
import Synchronization
import Testing

@Suite struct BackgroundLinesTests {
    private final class Written: Sendable {
        let lines = Mutex<[String]>([])
        let begun = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
    }

    @Test func `all lines are written in order before the end`() throws {
        let written = Written()
        let lines = try #require(BackgroundLines { line in written.lines.withLock { $0.append(line) } })
        for number in 1...500 { lines.add("\(number)") }
        lines.finish(within: .seconds(60))
        #expect(written.lines.withLock { $0 } == (1...500).map { "\($0)" })
    }

    @Test func `a blocked output blocks neither new lines nor the end, and the lines beyond the limit are counted`()
        throws
    {
        let written = Written()
        let lines = try #require(
            BackgroundLines(mostWaiting: 2) { line in
                written.begun.signal()
                written.gate.wait()
                written.lines.withLock { $0.append(line) }
            })
        lines.add("first")
        written.begun.wait()
        for line in ["second", "third", "fourth", "fifth"] { lines.add(line) }
        lines.finish(within: .zero)
        for _ in 0..<4 { written.gate.signal() }
        lines.finish(within: .seconds(60))
        #expect(
            written.lines.withLock { $0 } == [
                "first", "lines dropped because the output was blocked: 2", "second", "third",
            ])
    }
}
