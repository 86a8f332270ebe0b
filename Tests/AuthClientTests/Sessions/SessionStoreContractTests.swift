import AuthClient
import AuthModel
import CommandTestSupport
import Platform
import Synchronization
import Testing

/// What every session store must do.
@Suite struct SessionStoreContractTests {
    enum Kind: CaseIterable, Sendable {
        case memory, folder

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
    func `has nothing at first`(kind: Kind) throws {
        let store = kind.make(folder)
        #expect(try store.load("default") == nil)
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `gives back what was saved`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.prepare()
        #expect(try store.save(.ada) == false)
        #expect(try store.load("default") == .ada)
    }

    @Test(arguments: Kind.allCases)
    func `keeps what is unfinished apart, and discards both`(kind: Kind) throws {
        let store = kind.make(folder)
        let waiting = StoredSession.sample(session: .sample("waiting"))
        _ = try store.unfinished.save(waiting)
        #expect(try store.load("default") == nil)
        #expect(try store.profiles() == [])
        _ = try store.save(.ada)
        #expect(try store.unfinished.load("default") == waiting)
        #expect(try store.load("default") == .ada)
        try store.unfinished.discard("default")
        #expect(try store.load("default") == .ada)
        _ = try store.unfinished.save(waiting)
        try store.discard("default")
        #expect(try store.unfinished.load("default") == nil)
        #expect(try store.load("default") == nil)
    }

    @Test(arguments: Kind.allCases)
    func `replaces what was saved before`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        let other = StoredSession.sample(session: .sample("other"), user: User(username: "eve"))
        _ = try store.save(other)
        #expect(try store.load("default") == other)
    }

    @Test(arguments: Kind.allCases)
    func `keeps profiles apart`(kind: Kind) throws {
        let store = kind.make(folder)
        let other = StoredSession.sample(profile: "ci", session: .sample("other"))
        _ = try store.save(.ada)
        _ = try store.save(other)
        #expect(try store.load("default") == .ada)
        #expect(try store.load("ci") == other)
    }

    @Test(arguments: Kind.allCases)
    func `updates a session that still has the token`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        let newer = StoredSession.sample(session: .sample("newer"))
        try store.update(newer, ifStill: StoredSession.ada.session.token)
        #expect(try store.load("default") == newer)
    }

    @Test(arguments: Kind.allCases)
    func `leaves a session with another token alone when asked to update`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try store.update(.sample(session: .sample("newer")), ifStill: Secret("older"))
        #expect(try store.load("default") == .ada)
    }

    @Test(arguments: Kind.allCases)
    func `makes no session by an update`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.update(.ada, ifStill: StoredSession.ada.session.token)
        #expect(try store.load("default") == nil)
    }

    @Test(arguments: Kind.allCases)
    func `removes a session that still has the token`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try store.remove("default", ifStill: StoredSession.ada.session.token)
        #expect(try store.load("default") == nil)
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `leaves a session with another token alone when asked to remove`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try store.remove("default", ifStill: Secret("older"))
        #expect(try store.load("default") == .ada)
    }

    @Test(arguments: Kind.allCases)
    func `removes nothing where nothing is`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.remove("default", ifStill: Secret("any"))
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `discards a session whatever its token, and no other`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        _ = try store.save(.sample(profile: "ci"))
        try store.discard("default")
        #expect(try store.load("default") == nil)
        #expect(try store.profiles() == ["ci"])
    }

    @Test(arguments: Kind.allCases)
    func `discards nothing where nothing is`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.prepare()
        try store.discard("default")
        #expect(try store.profiles() == [])
    }

    @Test(arguments: Kind.allCases)
    func `tells its profiles in the order of their names`(kind: Kind) throws {
        let store = kind.make(folder)
        for name in ["b", "default", "a", "B"] { _ = try store.save(.sample(profile: name)) }
        #expect(try store.profiles() == ["B", "a", "b", "default"])
    }

    @Test(arguments: Kind.allCases)
    func `lets one at a time work alone on a session`(kind: Kind) throws {
        let store = kind.make(folder)
        let room = Room()
        let threads = (1...8).map { _ in
            NativeThread {
                // `try?`: whoever had no turn is missing from the sum.
                try? store.exclusively("default", patience: .seconds(20)) { () throws(AuthError) in
                    room.enter()
                    pause(.milliseconds(2))
                    room.leave()
                }
            }
        }
        for thread in threads { try #require(thread).join() }
        #expect(room.visits == 8)
        #expect(room.most == 1)
    }

    @Test(arguments: Kind.allCases)
    func `keeps neither readers nor writers nor other profiles away from who works alone`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        let token = try store.exclusively("default", patience: .zero) { () throws(AuthError) in
            try store.prepare()
            _ = try store.save(.sample(session: .sample("newer")))
            try store.update(.sample(session: .sample("newest")), ifStill: Secret("newer"))
            try store.exclusively("ci", patience: .zero) { () throws(AuthError) in }
            return try store.load("default")?.session.token
        }
        #expect(token == Secret("newest"))
        #expect(try store.profiles() == ["default"])
    }

    @Test(arguments: Kind.allCases)
    func `tells who waited in vain to work alone, and lets them in when the other is done`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.exclusively("default", patience: .zero) { () throws(AuthError) in
            let error = refusal { () throws(AuthError) in
                try store.exclusively("default", patience: .milliseconds(5)) { () throws(AuthError) in }
            }
            #expect(error?.reason == .locked)
        }
        // A process that another test is just starting holds what is open here until it is another program.
        let patience = Duration.seconds(10)
        let error = refusal { () throws(AuthError) in
            try store.exclusively("default", patience: patience) { () throws(AuthError) in throw .fault }
        }
        #expect(error == .fault)
        #expect(try store.exclusively("default", patience: patience) { () throws(AuthError) in 7 } == 7)
    }
}

/// Knows how many were in it, and how many at the same time.
private final class Room: Sendable {
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
