import AuthClient
import CommandTestSupport
import Platform
import Synchronization

extension SessionStoreContractTests {
    @Test(arguments: Kind.allCases)
    func `a session store saves nothing if the caller's check fails`(kind: Kind) throws {
        let store = kind.make(folder)
        let error = AuthError(.unknownProfile, "removed")
        for store in [store, store.unfinished] {
            #expect(throws: error) { try store.save(.ada) { () throws(AuthError) in throw error } }
            try expect(store.load(.local("default")), nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `removing a profile deletes its sessions and pending logins before the profile`(kind: Kind) throws {
        let store = kind.make(folder)
        for key in [SessionKey.local("default"), .local("ci"), .local("ci", as: "bob")] {
            _ = try store.save(.sample(profile: key.profile, as: key.name))
            _ = try store.unfinished.save(.sample(profile: key.profile, as: key.name))
        }
        var calls: [String] = []
        try store.removeProfile(
            "ci", after: { calls.append("check: \((try? store.profiles()) ?? [])") },
            then: {
                calls.append("body: \((try? store.profiles()) ?? [])")
                calls.append("body: \((try? store.unfinished.profiles()) ?? [])")
            })
        expect(calls, [#"check: ["ci", "default"]"#, #"body: ["default"]"#, #"body: ["default"]"#])
    }

    @Test(arguments: Kind.allCases)
    func `a profile removal whose check fails deletes nothing`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        let error = AuthError(.usage, "has a session")
        #expect(throws: error) {
            try store.removeProfile(
                "default", after: { () throws(AuthError) in throw error },
                then: { () throws(AuthError) in Issue.record("the profile was removed") })
        }
        #expect(try store.load(.local("default")) != nil)
    }

    @Test(arguments: Kind.allCases)
    func `a save that waits for the removal of its profile saves no session`(kind: Kind) throws {
        let store = kind.make(folder)
        let isRemoved = Mutex(false)
        let removed = AuthError(.unknownProfile, "removed")
        var threads: [NativeThread?] = []
        func remove() {
            for store in [store, store.unfinished] {
                threads.append(
                    NativeThread {
                        // `try?`: the save waits until the profile is removed, and then the closure throws.
                        _ = try? store.save(.ada) { () throws(AuthError) in
                            if isRemoved.withLock({ $0 }) { throw removed }
                        }
                    })
            }
            pause(.milliseconds(50))
            isRemoved.withLock { $0 = true }
        }
        try store.removeProfile("default", after: {}, then: remove)
        for thread in threads { try #require(thread).join() }
        try expect(store.load(.local("default")), nil)
        try expect(store.unfinished.load(.local("default")), nil)
    }

    @Test(arguments: Kind.allCases)
    func `a refresh lock admits one thread at a time`(kind: Kind) throws {
        let store = kind.make(folder)
        let occupancy = Occupancy()
        let threads = (1...8).map { _ in
            NativeThread {
                // `try?` hides an error, but a thread that fails shows up as a missing visit.
                try? store.exclusively(.local("default"), patience: .seconds(20)) { () throws(AuthError) in
                    occupancy.enter()
                    pause(.milliseconds(2))
                    occupancy.leave()
                }
            }
        }
        for thread in threads { try #require(thread).join() }
        expect(occupancy.visits, 8)
        expect(occupancy.most, 1)
    }

    @Test(arguments: Kind.allCases)
    func `a refresh lock blocks no read or write and no lock for another profile or session name`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        let token = try store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in
            try store.prepare()
            _ = try store.save(.sample(session: .sample("newer")))
            try store.update(.sample(session: .sample("newest")), ifStill: Secret("newer"))
            try store.exclusively(.local("ci"), patience: .zero) { () throws(AuthError) in }
            try store.exclusively(.local("default", as: "bob"), patience: .zero) { () throws(AuthError) in }
            return try store.load(.local("default"))?.session.token
        }
        expect(token, Secret("newest"))
        try expect(store.profiles(), ["default"])
    }

    @Test(arguments: Kind.allCases)
    func `waiting too long for a lock is an error, and an operation that fails releases its lock`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in
            let error = authError { () throws(AuthError) in
                try store.exclusively(.local("default"), patience: .milliseconds(5)) { () throws(AuthError) in }
            }
            expect(error?.reason, .locked)
        }
        let error = authError { () throws(AuthError) in
            try store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in throw .fault }
        }
        expect(error, .fault)
        try expect(store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in 7 }, 7)
    }
}

/// Counts how often a lock is acquired, and how many threads hold it at the same time.
private final class Occupancy: Sendable {
    private struct State {
        var inside = 0
        var most = 0
        var visits = 0
    }

    private let state = Mutex(State())

    var most: Int { state.withLock { $0.most } }
    var visits: Int { state.withLock { $0.visits } }

    func enter() {
        state.withLock { state in
            state.inside += 1
            state.visits += 1
            state.most = max(state.most, state.inside)
        }
    }

    func leave() {
        state.withLock { $0.inside -= 1 }
    }
}
