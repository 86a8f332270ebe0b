import AuthClient
import AuthModel
import CommandTestSupport
import Foundation
import Platform
import Testing

@Suite struct SessionFolderTests {
    let folder: TestFolder
    let store: SessionFolder

    init() throws {
        folder = try TestFolder()
        store = SessionFolder(folder: PrivateFolder(path: folder.path, home: nil).subfolder("sessions"))
    }

    @Test func `session files and their folder are readable by their owner only`() throws {
        _ = try store.save(.ada)
        #expect(try folder.mode("sessions") == "700")
        #expect(try folder.mode("sessions/default.json") == "600")
    }

    @Test func `pending logins have a folder of their own, readable by its owner only`() throws {
        _ = try store.unfinished.save(.ada)
        #expect(try folder.mode("sessions") == "700")
        #expect(try folder.mode("sessions/pending") == "700")
        #expect(try folder.mode("sessions/pending/default.json") == "600")
    }

    @Test func `no folder is created for a missing pending login`() throws {
        _ = try store.save(.ada)
        #expect(try store.unfinished.load("default") == nil)
        try store.discard("default")
        #expect(try folder.names(in: "sessions") == [".lock"])
    }

    @Test func `a save fixes the modes of session files that others could read`() throws {
        _ = try store.save(.ada)
        try folder.setMode("sessions/default.json", 0o644)
        try folder.setMode("sessions", 0o755)
        _ = try store.save(.ada)
        #expect(try folder.mode("sessions/default.json") == "600")
        #expect(try folder.mode("sessions") == "700")
    }

    @Test func `only files named like a profile are listed`() throws {
        _ = try store.save(.ada)
        for name in ["x.json.bad", ".hidden.json", "no name.json", "notes.txt"] {
            try folder.write("sessions/\(name)", "")
        }
        #expect(try store.profiles() == ["default"])
    }

    @Test func `an update and a removal keep a damaged session file`() throws {
        _ = try store.save(.ada)
        try folder.write("sessions/default.json", "garbage")
        #expect(throws: AuthError.self) { try store.update(.ada, ifStill: StoredSession.ada.session.token) }
        #expect(throws: AuthError.self) { try store.remove("default", ifStill: StoredSession.ada.session.token) }
        #expect(try folder.read("sessions/default.json") == "garbage")
    }

    @Test func `a preparation leaves only the lock file`() throws {
        try store.prepare()
        #expect(try folder.names(in: "sessions") == [".lock"])
    }

    @Test(arguments: [
        ("", AuthError.Reason.corrupt, "empty file"), ("garbage", .corrupt, "garbage"),
        (#"{"v":2}"#, .newerVersion, "newer version"),
        (#"{"v":1,"profile":"default"}"#, .corrupt, "truncated file"),
    ])
    func `a damaged session file is rejected with its problem and a hint`(
        content: String, reason: AuthError.Reason, situation: String
    ) throws {
        try folder.makeFolder("sessions")
        try folder.write("sessions/default.json", content)
        let error = try #require(throws: AuthError.self) { try store.load("default") }
        #expect(error.reason == reason)
        error.expectMessage(in: "storage/session-files", situation, replacing: [folder.path: "/folder"])
    }

    @Test func `a session file copied from another profile is rejected`() throws {
        _ = try store.save(.ada)
        try folder.write("sessions/ci.json", try folder.read("sessions/default.json"))
        let error = try #require(throws: AuthError.self) { try store.load("ci") }
        #expect(error.reason == .corrupt)
        error.expectMessage(in: "storage/session-files", replacing: [folder.path: "/folder"])
    }

    @Test func `a session file behind a link is rejected`() throws {
        _ = try store.save(.ada)
        try folder.link("sessions/ci.json", to: "default.json")
        for attempt in [
            { _ = try store.load("ci") }, { _ = try store.save(.sample(profile: "ci")) },
            { try store.remove("ci", ifStill: StoredSession.ada.session.token) },
        ] {
            let error = try #require(throws: AuthError.self) { try attempt() }
            #expect(error.reason == .unsafe)
        }
    }

    @Test func `a session file that others can change is rejected`() throws {
        _ = try store.save(.ada)
        try folder.setMode("sessions/default.json", 0o602)
        let error = try #require(throws: AuthError.self) { try store.load("default") }
        #expect(error.reason == .unsafe)
        error.expectMessage(in: "storage/session-files", replacing: [folder.path: "/folder"])
    }

    @Test(arguments: ["link", "writable", "fifo"])
    func `a lock that other users could have created is rejected`(kind: String) throws {
        try store.prepare()
        try folder.write("elsewhere", "untouched")
        switch kind {
        case "link": try folder.link("sessions/.lock-default", to: "../elsewhere")
        case "writable": try folder.write("sessions/.lock-default", "", mode: 0o622)
        default: try #require(mkfifo(folder.path("sessions/.lock-default"), 0o600) == 0)
        }
        let error = try #require(throws: AuthError.self) {
            try store.exclusively("default", patience: .zero) { () throws(AuthError) in }
        }
        #expect(error.reason == .unsafe)
        #expect(try folder.read("elsewhere") == "untouched")
    }

    @Test func `a lock error names the lock and its process`() throws {
        try store.exclusively("default", patience: .zero) { () throws(AuthError) in
            let error = authError { () throws(AuthError) in
                try store.exclusively("default", patience: .zero) { () throws(AuthError) in }
            }
            error?.expectMessage(
                in: "storage/session-files",
                replacing: [folder.path: "/folder", "process \(processID())": "process 4711"])
            #expect(error?.reason == .locked)
        }
    }

    @Test func `a lock of a profile named like a temporary file is kept`() throws {
        let name = "authctl-new-0123456789abcdef"
        try store.exclusively(name, patience: .zero) { () throws(AuthError) in
            _ = try store.save(.sample(profile: name))
        }
        #expect(try folder.names(in: "sessions") == [".lock", ".lock-\(name)", "\(name).json"])
    }
}
