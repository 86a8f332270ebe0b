#if canImport(Testing)
    import Synchronization
    package import Testing

    /// After each test, what always holds is looked for in every sandbox that it made: `Sandbox.broken`.
    ///
    /// What holds for each single run is looked at for every run, with or without this: see `CompletedRun`.
    package struct KeepsInvariants: SuiteTrait, TestTrait, TestScoping {
        /// Whether the store is usable in the end; not so where the test itself damages it.
        fileprivate let leavesStore: Bool

        package var isRecursive: Bool { true }

        package func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            guard testCase != nil else { return try await function() }
            let sandboxes = SandboxList()
            try await SandboxList.$current.withValue(sandboxes) { try await function() }
            for sandbox in sandboxes.all {
                for fault in sandbox.broken(storeIsLeft: leavesStore) { Issue.record("\(fault)") }
            }
        }
    }

    extension Trait where Self == KeepsInvariants {
        /// No secret is anywhere but in the store, and the store can be used.
        package static var keepsInvariants: Self { KeepsInvariants(leavesStore: true) }

        /// No secret is anywhere but in the store, which the test leaves as nothing should be.
        package static var keepsSecrets: Self { KeepsInvariants(leavesStore: false) }
    }
#endif
