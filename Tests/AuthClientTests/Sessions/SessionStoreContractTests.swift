import AuthClient
import AuthModel
import CommandTestSupport
import JSON
import Platform
import Synchronization
import Testing

/// The contract of session stores. The fake of the other tests must behave like the files.
@Suite struct SessionStoreContractTests {
    enum Kind: CaseIterable, Sendable {
        case memory, folder

        /// Damages the session of the default profile.
        func damage(_ store: any SessionStore, _ folder: TestFolder, at path: String = "sessions") throws {
            switch self {
            case .memory:
                try #require(store as? MemorySessionStore).fail(.read, with: AuthError(.corrupt, "damaged"))
            case .folder: try folder.write(.sessionPath("default", in: path), "garbage")
            }
        }

        /// An empty store.
        func make(_ folder: TestFolder) -> any SessionStore {
            switch self {
            case .memory: MemorySessionStore()
            case .folder: SessionFolder(folder: PrivateFolder(path: folder.path("sessions"), home: nil))
            }
        }
    }

    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test(arguments: Kind.allCases)
    func `a new session store is empty`(kind: Kind) throws {
        let store = kind.make(folder)
        #expect(try store.load(.local("default")) == nil)
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `a saved session is loaded`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.prepare()
        #expect(try store.save(.ada) == SaveReport())
        #expect(try store.load(.local("default")) == .ada)
    }

    @Test(arguments: Kind.allCases)
    func `pending logins are kept apart from sessions, and a discard deletes both`(kind: Kind) throws {
        let store = kind.make(folder)
        let waiting = StoredSession.sample(session: .sample("waiting"))
        _ = try store.unfinished.save(waiting)
        #expect(try store.load(.local("default")) == nil)
        #expect(try store.profiles() == [])
        _ = try store.save(.ada)
        #expect(try store.unfinished.load(.local("default")) == waiting)
        #expect(try store.load(.local("default")) == .ada)
        try store.unfinished.discard(.local("default"))
        #expect(try store.load(.local("default")) == .ada)
        _ = try store.unfinished.save(waiting)
        try store.discard(.local("default"))
        #expect(try store.unfinished.load(.local("default")) == nil)
        #expect(try store.load(.local("default")) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `a save replaces the session`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        let other = StoredSession.sample(session: .sample("other"), user: User(username: "eve"))
        _ = try store.save(other)
        #expect(try store.load(.local("default")) == other)
    }

    @Test(arguments: Kind.allCases)
    func `each profile has a session of its own`(kind: Kind) throws {
        let store = kind.make(folder)
        let other = StoredSession.sample(profile: "ci", session: .sample("other"))
        _ = try store.save(.ada)
        _ = try store.save(other)
        #expect(try store.load(.local("default")) == .ada)
        #expect(try store.load(.local("ci")) == other)
    }

    @Test(arguments: Kind.allCases)
    func `an update replaces a session with the expected token`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        let newer = StoredSession.sample(session: .sample("newer"))
        try store.update(newer, ifStill: StoredSession.ada.session.token)
        #expect(try store.load(.local("default")) == newer)
    }

    @Test(arguments: Kind.allCases)
    func `an update keeps a session with another token`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try store.update(.sample(session: .sample("newer")), ifStill: Secret("older"))
        #expect(try store.load(.local("default")) == .ada)
    }

    @Test(arguments: Kind.allCases)
    func `an update creates no session`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.update(.ada, ifStill: StoredSession.ada.session.token)
        #expect(try store.load(.local("default")) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `a removal deletes a session with the expected token`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try store.remove(.local("default"), ifStill: StoredSession.ada.session.token)
        #expect(try store.load(.local("default")) == nil)
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `a removal keeps a session with another token`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try store.remove(.local("default"), ifStill: Secret("older"))
        #expect(try store.load(.local("default")) == .ada)
    }

    @Test(arguments: Kind.allCases)
    func `a removal without a session does nothing`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.remove(.local("default"), ifStill: Secret("any"))
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `a discard deletes the session of one profile whatever its token`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        _ = try store.save(.sample(profile: "ci"))
        try store.discard(.local("default"))
        #expect(try store.load(.local("default")) == nil)
        #expect(try store.profiles() == ["ci"])
    }

    @Test(arguments: Kind.allCases)
    func `a discard without a session does nothing`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.prepare()
        try store.discard(.local("default"))
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `a damaged session is an error for load, update and remove`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try kind.damage(store, folder)
        let token = StoredSession.ada.session.token
        for operation in [
            { _ = try store.load(.local("default")) }, { try store.update(.ada, ifStill: token) },
            { _ = try store.remove(.local("default"), ifStill: token) },
        ] {
            #expect(try failure(operation).reason == .corrupt)
        }
        #expect(try store.profiles() == ["default"])
    }

    @Test(arguments: Kind.allCases)
    func `a save replaces a damaged session`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try kind.damage(store, folder)
        let new = StoredSession.sample(session: .new)
        _ = try store.save(new)
        #expect(try store.load(.local("default")) == new)
    }

    @Test(arguments: Kind.allCases)
    func `a discard deletes a damaged session and a damaged pending login`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        _ = try store.unfinished.save(.ada)
        try kind.damage(store, folder)
        try kind.damage(store.unfinished, folder, at: "sessions/pending")
        try store.discard(.local("default"))
        #expect(try store.load(.local("default")) == nil)
        #expect(try store.unfinished.load(.local("default")) == nil)
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `the sessions of two connections are kept apart`(kind: Kind) throws {
        let store = kind.make(folder)
        let site = StoredSession.sample(connection: .site, session: .sample("site"))
        _ = try store.save(.ada)
        _ = try store.save(site)
        #expect(try store.load(StoredSession.ada.key) == .ada)
        #expect(try store.load(site.key) == site)
        #expect(try store.remove(StoredSession.ada.key, ifStill: Secret("other")) == false)
        #expect(try store.remove(site.key, ifStill: Secret("site")))
        #expect(try store.load(site.key) == nil)
        #expect(try store.load(StoredSession.ada.key) == .ada)
        _ = try store.save(site)
        try store.discard(StoredSession.ada.key)
        #expect(try store.load(StoredSession.ada.key) == nil)
        #expect(try store.load(site.key) == site)
        #expect(try store.profiles() == ["default"])
    }

    @Test(arguments: Kind.allCases)
    func `a list contains the sessions of one profile or of all profiles`(kind: Kind) throws {
        let store = kind.make(folder)
        let site = StoredSession.sample(connection: .site, session: .sample("site"))
        let other = StoredSession.sample(profile: "ci")
        for session in [.ada, site, other] { _ = try store.save(session) }
        func tokens(_ profile: String?) throws -> Set<SessionKey> {
            Set(try store.list(of: profile).map { try $0.content.get().key })
        }
        #expect(try tokens("default") == [StoredSession.ada.key, site.key])
        #expect(try tokens("ci") == [other.key])
        #expect(try tokens(nil) == [StoredSession.ada.key, site.key, other.key])
        #expect(try tokens("none") == [])
        try store.discardAll(of: "default")
        #expect(try tokens(nil) == [other.key])
    }

    @Test(arguments: Kind.allCases)
    func `a save leaves out fields that are nested too deeply, and reports them`(kind: Kind) throws {
        let store = kind.make(folder)
        let deep = (0..<510).reduce(JSONValue.string("x")) { value, _ in [value] }
        let user = User(username: "ada", fields: ["a": 1, "deep": deep, "b": 2])
        #expect(try store.save(.sample(user: user)).droppedFields == ["deep"])
        #expect(try store.load(StoredSession.ada.key)?.user.fields == ["a": 1, "b": 2])
    }

    @Test(arguments: Kind.allCases)
    func `profiles are sorted by name`(kind: Kind) throws {
        let store = kind.make(folder)
        for name in ["b", "default", "a", "B"] { _ = try store.save(.sample(profile: name)) }
        #expect(try store.profiles() == ["B", "a", "b", "default"])
    }

    @Test(arguments: Kind.allCases)
    func `a save whose check fails saves nothing`(kind: Kind) throws {
        let store = kind.make(folder)
        let error = AuthError(.unknownProfile, "removed")
        for store in [store, store.unfinished] {
            #expect(throws: error) { try store.save(.ada) { () throws(AuthError) in throw error } }
            #expect(try store.load(.local("default")) == nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `removing a profile deletes its sessions and pending logins before the profile`(kind: Kind) throws {
        let store = kind.make(folder)
        for profile in ["default", "ci"] {
            _ = try store.save(.sample(profile: profile))
            _ = try store.unfinished.save(.sample(profile: profile))
        }
        var calls: [String] = []
        try store.removeProfile(
            "ci", after: { calls.append("check: \((try? store.profiles()) ?? [])") },
            then: {
                calls.append("body: \((try? store.profiles()) ?? [])")
                calls.append("body: \((try? store.unfinished.profiles()) ?? [])")
            })
        #expect(calls == [#"check: ["ci", "default"]"#, #"body: ["default"]"#, #"body: ["default"]"#])
    }

    @Test(arguments: Kind.allCases)
    func `removing a profile whose check fails deletes nothing`(kind: Kind) throws {
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
    func `no session is saved while its profile is removed`(kind: Kind) throws {
        let store = kind.make(folder)
        let isRemoved = Mutex(false)
        let removed = AuthError(.unknownProfile, "removed")
        var threads: [NativeThread?] = []
        func remove() {
            for store in [store, store.unfinished] {
                threads.append(
                    NativeThread {
                        // `try?`: the check fails if the save waits as it should.
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
        #expect(try store.load(.local("default")) == nil)
        #expect(try store.unfinished.load(.local("default")) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `a lock admits one thread at a time`(kind: Kind) throws {
        let store = kind.make(folder)
        let occupancy = Occupancy()
        let threads = (1...8).map { _ in
            NativeThread {
                // `try?`: a thread that fails shows as a missing visit.
                try? store.exclusively(.local("default"), patience: .seconds(20)) { () throws(AuthError) in
                    occupancy.enter()
                    pause(.milliseconds(2))
                    occupancy.leave()
                }
            }
        }
        for thread in threads { try #require(thread).join() }
        #expect(occupancy.visits == 8)
        #expect(occupancy.most == 1)
    }

    @Test(arguments: Kind.allCases)
    func `a lock keeps out neither readers nor writers nor other profiles`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        let token = try store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in
            try store.prepare()
            _ = try store.save(.sample(session: .sample("newer")))
            try store.update(.sample(session: .sample("newest")), ifStill: Secret("newer"))
            try store.exclusively(.local("ci"), patience: .zero) { () throws(AuthError) in }
            return try store.load(.local("default"))?.session.token
        }
        #expect(token == Secret("newest"))
        #expect(try store.profiles() == ["default"])
    }

    @Test(arguments: Kind.allCases)
    func `a lock that is held too long is an error, and a released lock can be taken`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in
            let error = authError { () throws(AuthError) in
                try store.exclusively(.local("default"), patience: .milliseconds(5)) { () throws(AuthError) in }
            }
            #expect(error?.reason == .locked)
        }
        // A child process of another test inherits the open lock file until it calls exec.
        let patience = Duration.seconds(10)
        let error = authError { () throws(AuthError) in
            try store.exclusively(.local("default"), patience: patience) { () throws(AuthError) in throw .fault }
        }
        #expect(error == .fault)
        #expect(try store.exclusively(.local("default"), patience: patience) { () throws(AuthError) in 7 } == 7)
    }
}

/// Counts visits and concurrent visitors.
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
