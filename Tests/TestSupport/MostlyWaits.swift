#if canImport(Testing)
    import Foundation
    package import Testing

    /// Runs tests on separate threads, because they mostly wait for other processes.
    ///
    /// Swift Testing uses one thread per core. A test that blocks one of these threads delays other tests.
    ///
    /// Writes the time that each test takes to standard error: `Ran for 0.123 seconds: NAME`. The time that Swift Testing
    /// reports includes the wait for a thread. `Tests/run` lists the slowest tests.
    package struct MostlyWaits: SuiteTrait, TestTrait, TestScoping {
        package var isRecursive: Bool { true }

        package func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            guard testCase != nil else { return try await function() }
            try await withTaskExecutorPreference(WaitingThreads.shared) {
                let start = ContinuousClock.now
                defer {
                    let seconds = String(format: "%.3f", (ContinuousClock.now - start) / .seconds(1))
                    // One write, so that the lines of other tests cannot come between.
                    FileHandle.standardError.write(
                        Data("Ran for \(seconds) seconds: \(test.displayName ?? test.name)\n".utf8))
                }
                try await function()
            }
        }
    }

    extension Trait where Self == MostlyWaits {
        package static var mostlyWaits: Self { MostlyWaits() }
    }

    private final class WaitingThreads: TaskExecutor {
        static let shared = WaitingThreads()

        private let queue = OperationQueue()

        private init() {
            // High enough to overlap waiting times, low enough to avoid timeouts under load.
            queue.maxConcurrentOperationCount = 8
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
#endif
