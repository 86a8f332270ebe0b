import Expectations
import Synchronization

@testable import Platform

@Suite struct UnblockedLinesTests {
    @Test func `lines for a blocked output are dropped, and their number is written before the next line`() {
        let (written, canWrite) = (Shared<[String]>([]), Shared(true))
        let lines = UnblockedLines(canWrite: { canWrite.value }, write: { line in written.change { $0.append(line) } })
        lines.add("first")
        canWrite.change { $0 = false }
        for line in ["second", "third"] { lines.add(line) }
        canWrite.change { $0 = true }
        for line in ["fourth", "fifth"] { lines.add(line) }
        expect(written.value, ["first", "lines dropped because the output was blocked: 2", "fourth", "fifth"])
    }

    @Test func `a pipe is writable until it is full`() throws {
        let pipe = try #require(Pipe())
        var count = 0
        while isWritable(pipe.writer) {
            try writeAll([UInt8](repeating: 0, count: 4096), to: pipe.writer)
            count += 1
            try #require(count < 10_000)
        }
        #expect(count > 0)
    }
}

private final class Shared<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) {
        content = Mutex(value)
    }

    var value: Value { content.withLock { $0 } }
    func change(_ body: (inout sending Value) -> Void) { content.withLock { body(&$0) } }
}
