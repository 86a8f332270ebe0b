#if canImport(Testing)
    import Foundation
    package import Testing

    /// Tests that spend most of their time waiting for what runs beside them do so on threads of their own.
    ///
    /// Tests run on as many threads as there are cores, and one that waits there holds up the others.
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
        /// For suites whose tests take long and work little.
        package static var mostlyWaits: Self { MostlyWaits() }
    }

    private final class WaitingThreads: TaskExecutor {
        static let shared = WaitingThreads()

        private let queue = OperationQueue()

        private init() {
            // Enough to fill the pauses, and few enough that none is late because of the others.
            queue.maxConcurrentOperationCount = 6
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
#endif
