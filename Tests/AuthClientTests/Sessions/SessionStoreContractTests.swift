import CommandTestSupport
import Platform

@testable import AuthClient

/// The contract of session stores. The fake store of the other tests must behave like the session files.
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

        func make(_ folder: TestFolder) -> any SessionStore {
            switch self {
            case .memory: MemorySessionStore()
            case .folder: SessionFolder(folder: PrivateFolder(path: folder.path("sessions")))
            }
        }
    }

    let folder = TestFolder()

    @Test(arguments: Kind.allCases)
    func `updating, removing or discarding a missing session leaves an empty store empty`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.prepare()
        try store.update(.ada, ifStill: StoredSession.ada.session.token)
        try store.remove(.local("default"), ifStill: StoredSession.ada.session.token)
        try store.discard(.local("default"))
        try expect(store.load(.local("default")), nil)
        try expect(store.profiles(), [])
    }

    @Test(arguments: Kind.allCases)
    func `saving a session replaces no session of another profile`(kind: Kind) throws {
        let store = kind.make(folder)
        let ci = StoredSession.sample(profile: "ci", session: .sample("ci"))
        let other = StoredSession.sample(session: .sample("other"), user: User(username: "eve"))
        for session in [.ada, ci] { try expect(store.save(session), []) }
        try expect(store.load(.local("default")), .ada)
        _ = try store.save(other)
        try expect(store.load(.local("default")), other)
        try expect(store.load(.local("ci")), ci)
    }

    @Test(arguments: Kind.allCases)
    func `pending logins are stored separately from sessions, and a discard deletes both`(kind: Kind) throws {
        let store = kind.make(folder)
        let waiting = StoredSession.sample(session: .sample("waiting"))
        _ = try store.unfinished.save(waiting)
        try expect(store.load(.local("default")), nil)
        try expect(store.profiles(), [])
        _ = try store.save(.ada)
        try expect(store.unfinished.load(.local("default")), waiting)
        try expect(store.load(.local("default")), .ada)
        try store.unfinished.discard(.local("default"))
        try expect(store.load(.local("default")), .ada)
        _ = try store.unfinished.save(waiting)
        try store.discard(.local("default"))
        try expect(store.unfinished.load(.local("default")), nil)
        try expect(store.load(.local("default")), nil)
    }

    @Test(arguments: Kind.allCases)
    func `an update and a removal change only a session with the expected token`(kind: Kind) throws {
        let store = kind.make(folder)
        let newer = StoredSession.sample(session: .sample("newer"))
        _ = try store.save(.ada)
        try store.update(newer, ifStill: Secret("older"))
        try expect(store.load(.local("default")), .ada)
        try store.update(newer, ifStill: StoredSession.ada.session.token)
        try expect(store.load(.local("default")), newer)
        try store.remove(.local("default"), ifStill: Secret("older"))
        try expect(store.load(.local("default")), newer)
        try store.remove(.local("default"), ifStill: Secret("newer"))
        try expect(store.load(.local("default")), nil)
        var refreshed = newer
        refreshed.session.accessToken = Secret("access-2")
        _ = try store.save(refreshed)
        for token in ["newer", "access-1"] { try store.update(.ada, ifStill: Secret(token)) }
        try expect(store.load(.local("default")), refreshed)
    }

    @Test(arguments: Kind.allCases)
    func `a discard deletes the session of its profile regardless of the token`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        _ = try store.save(.sample(profile: "ci"))
        try store.discard(.local("default"))
        try expect(store.load(.local("default")), nil)
        try expect(store.profiles(), ["ci"])
    }

    @Test(arguments: Kind.allCases)
    func `loading, updating or removing a damaged session fails, and a save replaces the session`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        try kind.damage(store, folder)
        let token = StoredSession.ada.session.token
        for operation in [
            { _ = try store.load(.local("default")) }, { try store.update(.ada, ifStill: token) },
            { _ = try store.remove(.local("default"), ifStill: token) },
        ] {
            try expect(failure(operation).reason, .corrupt)
        }
        try expect(store.profiles(), ["default"])
        _ = try store.save(.ada)
        try expect(store.load(.local("default")), .ada)
    }

    @Test(arguments: Kind.allCases)
    func `a discard deletes a damaged session and a damaged pending login`(kind: Kind) throws {
        let store = kind.make(folder)
        _ = try store.save(.ada)
        _ = try store.unfinished.save(.ada)
        try kind.damage(store, folder)
        try kind.damage(store.unfinished, folder, at: "sessions/pending")
        try store.discard(.local("default"))
        try expect(store.load(.local("default")), nil)
        try expect(store.unfinished.load(.local("default")), nil)
        try expect(store.profiles(), [])
    }

    @Test(arguments: Kind.allCases)
    func `sessions with different connections are stored separately`(kind: Kind) throws {
        let store = kind.make(folder)
        let site = StoredSession.sample(connection: .site, session: .sample("site"))
        _ = try store.save(.ada)
        _ = try store.save(site)
        try expect(store.load(StoredSession.ada.key), .ada)
        try expect(store.load(site.key), site)
        try expect(store.remove(StoredSession.ada.key, ifStill: Secret("other")), false)
        #expect(try store.remove(site.key, ifStill: Secret("site")))
        try expect(store.load(site.key), nil)
        try expect(store.load(StoredSession.ada.key), .ada)
        _ = try store.save(site)
        try store.discard(StoredSession.ada.key)
        try expect(store.load(StoredSession.ada.key), nil)
        try expect(store.load(site.key), site)
        try expect(store.profiles(), ["default"])
    }

    @Test(arguments: Kind.allCases)
    func `sessions with different names are stored separately`(kind: Kind) throws {
        let store = kind.make(folder)
        let bob = StoredSession.sample(as: "bob", session: .sample("bob"))
        for session in [.ada, bob] {
            _ = try store.save(session)
            _ = try store.unfinished.save(session)
        }
        try expect(store.load(StoredSession.ada.key), .ada)
        try expect(store.load(bob.key), bob)
        try expect(store.load(.local("default", as: "carl")), nil)
        try expect(store.remove(bob.key, ifStill: Session.ada.token), false)
        #expect(try store.remove(bob.key, ifStill: Secret("bob")))
        try expect(store.load(bob.key), nil)
        try expect(store.load(StoredSession.ada.key), .ada)
        _ = try store.save(bob)
        try store.discard(bob.key)
        try expect(store.load(bob.key), nil)
        try expect(store.unfinished.load(bob.key), nil)
        try expect(store.unfinished.load(StoredSession.ada.key), .ada)
        _ = try store.save(bob)
        try store.discard(StoredSession.ada.key)
        try expect(store.load(StoredSession.ada.key), nil)
        try expect(store.load(bob.key), bob)
    }

    @Test(arguments: Kind.allCases)
    func `the session names of a profile and connection are sorted`(kind: Kind) throws {
        let store = kind.make(folder)
        try expect(store.names(of: "default", .local), [])
        let others: [StoredSession] = [
            .ada, .sample(profile: "ci", as: "night"), .sample(as: "far", connection: .site),
        ]
        let own = ["b", "a@example.org", "B"].map { StoredSession.sample(as: $0) }
        for session in others + own { _ = try store.save(session) }
        try expect(store.names(of: "default", .local), ["B", "a@example.org", "b"])
        try expect(store.names(of: "ci", .local), ["night"])
        try expect(store.names(of: "ci", .site), [])
    }

    @Test(arguments: Kind.allCases)
    func `a list of sessions can exclude the sessions of one connection`(kind: Kind) throws {
        let store = kind.make(folder)
        let site = StoredSession.sample(connection: .site)
        let named = StoredSession.sample(as: "bob", connection: .site)
        for session in [.ada, .sample(as: "bob"), site, named, .sample(profile: "ci", connection: .site)] {
            _ = try store.save(session)
        }
        let list = try store.list(of: "default", except: .local)
        expect(Set(try list.map { try $0.content.get().key }), [site.key, named.key])
    }

    @Test(arguments: Kind.allCases)
    func `two hundred concurrent saves, each under its own session name, lose no session`(kind: Kind) throws {
        let store = kind.make(folder)
        let threads = (0..<8).map { thread in
            NativeThread {
                for name in (0..<25).map({ "user-\(thread)-\($0)" }) {
                    // `try?` hides an error, but a save that fails shows up as a missing session.
                    _ = try? store.save(.sample(as: name, session: .sample("r:\(name)")))
                }
            }
        }
        for thread in threads { try #require(thread).join() }
        let names = try store.names(of: "default", .local)
        expect(names.count, 200)
        for name in names {
            try expect(store.load(.local("default", as: name))?.session.token, Secret("r:\(name)"))
        }
    }

    @Test(arguments: Kind.allCases)
    func `a list of sessions covers the given profile, or all profiles if none is given`(kind: Kind) throws {
        let store = kind.make(folder)
        let site = StoredSession.sample(connection: .site, session: .sample("site"))
        let other = StoredSession.sample(profile: "ci")
        for session in [.ada, site, other] { _ = try store.save(session) }
        func tokens(_ profile: String?) throws -> Set<SessionKey> {
            Set(try store.list(of: profile).map { try $0.content.get().key })
        }
        try expect(tokens("default"), [StoredSession.ada.key, site.key])
        try expect(tokens("ci"), [other.key])
        try expect(tokens(nil), [StoredSession.ada.key, site.key, other.key])
        try expect(tokens("none"), [])
        try store.discardAll(of: "default")
        try expect(tokens(nil), [other.key])
    }

    @Test(arguments: Kind.allCases)
    func `a save drops user fields that are nested too deeply and reports them`(kind: Kind) throws {
        let store = kind.make(folder)
        let deep = (0..<510).reduce(JSONValue.string("x")) { value, _ in [value] }
        let user = User(username: "ada", fields: ["a": 1, "deep": deep, "b": 2])
        try expect(store.save(.sample(user: user)), ["deep"])
        try expect(store.load(StoredSession.ada.key)?.user.fields, ["a": 1, "b": 2])
    }

    @Test(arguments: Kind.allCases)
    func `a session store lists its profiles sorted by name`(kind: Kind) throws {
        let store = kind.make(folder)
        for name in ["b", "default", "a", "B"] { _ = try store.save(.sample(profile: name)) }
        try expect(store.profiles(), ["B", "a", "b", "default"])
    }
}
