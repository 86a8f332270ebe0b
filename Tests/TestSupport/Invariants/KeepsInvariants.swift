#if canImport(Testing)
    import Synchronization
    package import Testing

    /// After each test, uses `Sandbox.broken` to check the invariants of every sandbox that the test created.
    ///
    /// The invariants of single runs are checked even without this trait: see `CompletedRun`.
    package struct KeepsInvariants: SuiteTrait, TestTrait, TestScoping {
        fileprivate let check: Sandbox.StoreCheck

        package var isRecursive: Bool { true }

        package func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            guard testCase != nil else { return try await function() }
            let sandboxes = SandboxList()
            try await SandboxList.$current.withValue(sandboxes) { try await function() }
            for sandbox in sandboxes.all {
                for fault in sandbox.broken(check) { Issue.record("\(fault)") }
            }
        }
    }

    extension Trait where Self == KeepsInvariants {
        /// Checks that no secret leaks, and that the store can be written.
        package static var keepsInvariants: Self { KeepsInvariants(check: .writes) }

        /// Checks that no secret leaks, and that the store works for all kinds of commands, for tests of the store.
        package static var keepsStore: Self { KeepsInvariants(check: .works) }

        /// Checks only that no secret leaks, for tests that damage the store.
        package static var keepsSecrets: Self { KeepsInvariants(check: .none) }
    }
#endif
