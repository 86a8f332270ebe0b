import Foundation
import Testing

@testable import AccountListener

@Suite struct WorkerPoolTests {
    @Test func `the pool runs all jobs in parallel and returns each result once`() throws {
        let pool = try #require(WorkerPool<UInt64>(threads: 4))
        for id in 0..<500 as Range<UInt64> { #expect(pool.submit(id) { id * id }) }
        var collected: [UInt64: UInt64] = [:]
        while collected.count < 500 {
            for (id, outcome) in pool.collect() { #expect(collected.updateValue(outcome, forKey: id) == nil) }
        }
        #expect(collected.allSatisfy { $0.value == $0.key * $0.key })
    }

    @Test func `a slow job does not delay the others`() throws {
        let pool = try #require(WorkerPool<String>(threads: 2))
        let gate = DispatchSemaphore(value: 0)
        let slow = pool.submit(1) {
            gate.wait()
            return "slow"
        }
        #expect(slow && pool.submit(2) { "quick" })
        #expect(pool.collect().map(\.completion) == ["quick"])
        gate.signal()
        #expect(pool.collect().map(\.completion) == ["slow"])
    }

    @Test func `a cancelled job is not run, and makes room for another one`() throws {
        let (pool, gate) = try fullPool()
        pool.cancel(2)
        // The first job runs already, and a job with the fourth id does not exist.
        pool.cancel(1)
        pool.cancel(4)
        #expect(pool.submit(5) { 5 })
        gate.signal()
        #expect(collect(3, from: pool) == [1, 3, 5])
    }

    @Test func `any number of cancelled jobs does not block the next one`() throws {
        let (pool, gate) = try fullPool()
        pool.cancel(3)
        // More jobs than a pipe holds bytes.
        for _ in 0..<70_000 {
            _ = pool.submit(3) { 3 }
            pool.cancel(3)
        }
        #expect(pool.submit(4) { 4 })
        gate.signal()
        #expect(collect(3, from: pool) == [1, 2, 4])
    }

    @Test func `a full queue rejects a job`() throws {
        let (pool, gate) = try fullPool()
        #expect(!pool.submit(4) { 4 })
        gate.signal()
        #expect(collect(3, from: pool) == [1, 2, 3])
        #expect(pool.submit(5) { 5 })
    }

    /// A pool whose only thread runs job 1 until the gate opens, and whose queue is full with the jobs 2 and 3.
    private func fullPool() throws -> (pool: WorkerPool<Int>, gate: DispatchSemaphore) {
        let pool = try #require(WorkerPool<Int>(threads: 1, mostWaiting: 2))
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = pool.submit(1) {
            begun.signal()
            gate.wait()
            return 1
        }
        begun.wait()
        #expect(first && pool.submit(2) { 2 } && pool.submit(3) { 3 })
        return (pool, gate)
    }

    private func collect(_ count: Int, from pool: WorkerPool<Int>) -> [Int] {
        var collected: [Int] = []
        while collected.count < count { collected += pool.collect().map(\.completion) }
        return collected
    }
}
