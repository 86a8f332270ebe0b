#if canImport(Testing)
    import Foundation
    package import Testing

    /// Runs tests on separate threads, because they mostly wait for other processes.
    ///
    /// Swift Testing uses one thread per core. A test that blocks one of these threads delays other tests.
    package struct MostlyWaits: SuiteTrait, TestTrait, TestScoping {
        package var isRecursive: Bool { true }

        package func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            guard testCase != nil else { return try await function() }
            try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
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
