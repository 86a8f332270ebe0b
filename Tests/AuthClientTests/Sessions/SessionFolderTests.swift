import CommandTestSupport
import Foundation
import Platform

@testable import AuthClient

@Suite struct SessionFolderTests {
    let folder = TestFolder()
    let store: SessionFolder

    init() throws {
        store = SessionFolder(folder: PrivateFolder(path: folder.path).subfolder("sessions"))
    }

    @Test func `session files and their folder are readable by their owner only`() throws {
        _ = try store.save(.ada)
        try expect(folder.mode("sessions"), "700")
        try expect(folder.mode(.sessionPath("default")), "600")
    }

    @Test func `pending logins are in a separate folder, readable by its owner only`() throws {
        _ = try store.unfinished.save(.ada)
        try expect(folder.mode("sessions"), "700")
        try expect(folder.mode("sessions/pending"), "700")
        try expect(folder.mode(.sessionPath("default", in: "sessions/pending")), "600")
    }

    @Test func `loading or discarding a missing pending login creates no folder`() throws {
        _ = try store.save(.ada)
        try expect(store.unfinished.load(.local("default")), nil)
        try store.discard(.local("default"))
        try expect(folder.names(in: "sessions"), [".lock"])
    }

    @Test func `a save fixes the mode of a session file that other users could read`() throws {
        _ = try store.save(.ada)
        try folder.setMode(.sessionPath("default"), 0o644)
        _ = try store.save(.ada)
        try expect(folder.mode(.sessionPath("default")), "600")
    }

    @Test func `the list of profiles ignores files that are not named like a session file`() throws {
        _ = try store.save(.ada)
        for name in ["x.json.bad", ".hidden.json", "no name.json", "notes.txt", "x.json", "x~y.json", "x~-y~01.json"] {
            try folder.write("sessions/\(name)", "")
        }
        try expect(store.profiles(), ["default"])
    }

    @Test func `updating or removing a session with a damaged file fails and leaves the file unchanged`() throws {
        _ = try store.save(.ada)
        try folder.write(.sessionPath("default"), "garbage")
        #expect(throws: AuthError.self) { try store.update(.ada, ifStill: StoredSession.ada.session.token) }
        #expect(throws: AuthError.self) {
            try store.remove(.local("default"), ifStill: StoredSession.ada.session.token)
        }
        try expect(folder.read(.sessionPath("default")), "garbage")
    }

    @Test func `preparing a session folder creates only the lock file`() throws {
        try store.prepare()
        try expect(folder.names(in: "sessions"), [".lock"])
    }

    @Test(arguments: [
        ("garbage", "garbage"), (#"{"v":2}"#, "newer version"), (#"{"v":1,"profile":"def"#, "truncated file"),
        (#"{"v":1,"profile":"default"}"#, "another document"),
    ])
    func `the error about a session file that is damaged or has a newer version suggests a way to fix it`(
        content: String, situation: String
    ) throws {
        try folder.makeFolder("sessions")
        try folder.write(.sessionPath("default"), content)
        let error = try #require(throws: AuthError.self) { try store.load(.local("default")) }
        error.expectMessage(in: "storage/session-files", situation, replacing: [folder.path: "/folder"])
    }

    @Test func `discarding a damaged session from a list deletes only the file of that session`() throws {
        for name in [nil, "bob"] { _ = try store.save(.sample(as: name)) }
        try folder.write(.sessionPath("default", as: "bob"), "garbage")
        let saved = try store.list(of: "default")
        let damaged = try #require(saved.first { (try? $0.content.get()) == nil })
        try store.discard(damaged)
        try expect(store.list(of: "default").map { try $0.content.get() }, [.ada])
    }

    @Test func `a session file copied from another profile or session name is rejected`() throws {
        _ = try store.save(.sample(as: "bob"))
        _ = try store.save(.ada)
        let copies: [(from: String, key: SessionKey, situation: String)] = [
            ("", .local("ci"), "another profile"), ("bob", .local("default", as: "carl"), "another name"),
            ("", .local("default", as: "dora"), "the profile's own session"),
        ]
        for (name, key, situation) in copies {
            let text = try folder.read(.sessionPath("default", as: name))
            try folder.write(.sessionPath(key.profile, as: key.name ?? ""), text)
            try failure { try store.load(key) }
                .expectMessage(in: "storage/session-files", situation, replacing: [folder.path: "/folder"])
        }
    }

    /// A file system that ignores case opens the session file of 'Bob' under the file name for 'bob'.
    @Test func `a session saved under the same name in a different case is neither loaded nor changed`() throws {
        _ = try store.save(.sample(as: "Bob"))
        let text = try folder.read(.sessionPath("default", as: "Bob"))
        try folder.write(.sessionPath("default", as: "bob"), text)
        let key = SessionKey.local("default", as: "bob")
        try expect(store.load(key), nil)
        try store.update(.sample(as: "bob", session: .sample("new")), ifStill: Session.ada.token)
        #expect(try store.remove(key, ifStill: Session.ada.token))
        try expect(folder.read(.sessionPath("default", as: "bob")), text)
    }

    @Test func `a symbolic link in place of a session file is rejected`() throws {
        _ = try store.save(.ada)
        try folder.link(.sessionPath("ci"), to: .sessionPath("default", in: "."))
        for attempt in [
            { _ = try store.load(.local("ci")) }, { _ = try store.save(.sample(profile: "ci")) },
            { _ = try store.remove(.local("ci"), ifStill: StoredSession.ada.session.token) },
        ] {
            let error = try #require(throws: AuthError.self) { try attempt() }
            expect(error.reason, .unsafe)
        }
    }

    @Test func `a session file that other users can write is rejected`() throws {
        _ = try store.save(.ada)
        try folder.setMode(.sessionPath("default"), 0o602)
        let error = try #require(throws: AuthError.self) { try store.load(.local("default")) }
        error.expectMessage(in: "storage/session-files", replacing: [folder.path: "/folder"])
    }

    @Test(arguments: ["link", "writable", "fifo"])
    func `a lock file that another user could have created is rejected`(kind: String) throws {
        let lock = "sessions/.lock-\(String.sessionPath("default", in: "").dropLast(5))"
        try store.prepare()
        try folder.write("elsewhere", "untouched")
        switch kind {
        case "link": try folder.link(lock, to: "../elsewhere")
        case "writable": try folder.write(lock, "", mode: 0o622)
        default: try #require(mkfifo(folder.path(lock), 0o600) == 0)
        }
        let error = try #require(throws: AuthError.self) {
            try store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in }
        }
        expect(error.reason, .unsafe)
        try expect(folder.read("elsewhere"), "untouched")
    }

    @Test func `the error about a held lock names the lock file and the process that holds it`() throws {
        try store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in
            let error = authError { () throws(AuthError) in
                try store.exclusively(.local("default"), patience: .zero) { () throws(AuthError) in }
            }
            error?.expectMessage(
                in: "storage/session-files",
                replacing: [folder.path: "/folder", "process \(processID())": "process 4711"])
        }
    }

    @Test func `the lock file of a profile named like a temporary file is not deleted`() throws {
        let name = "authctl-new-0123456789abcdef"
        try store.exclusively(.local(name), patience: .zero) { () throws(AuthError) in
            _ = try store.save(.sample(profile: name))
        }
        let file = String.sessionPath(name, in: "")
        try expect(folder.names(in: "sessions"), [".lock", ".lock-\(file.dropLast(5))", file])
    }
}

extension String {
    /// The path of a session file for local accounts. If the form of the name changes, users lose their saved sessions.
    static func sessionPath(_ profile: String, as name: String = "", in folder: String = "sessions") -> String {
        (folder.isEmpty ? "" : folder + "/") + "\(profile)~\(name)~100947a6abb71464.json"
    }
}
