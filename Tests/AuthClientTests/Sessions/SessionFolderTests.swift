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
        store = SessionFolder(folder: PrivateFolder(path: folder.path("sessions"), home: nil))
    }

    @Test func `makes files and folder for their owner alone`() throws {
        _ = try store.save(.ada)
        #expect(try folder.mode("sessions") == "700")
        #expect(try folder.mode("sessions/default.json") == "600")
    }

    @Test func `makes a folder of its own, as closed, for what is unfinished`() throws {
        _ = try store.unfinished.save(.ada)
        #expect(try folder.mode("sessions") == "700")
        #expect(try folder.mode("sessions/pending") == "700")
        #expect(try folder.mode("sessions/pending/default.json") == "600")
    }

    @Test func `makes no folder for what is unfinished where there is nothing`() throws {
        _ = try store.save(.ada)
        #expect(try store.unfinished.load("default") == nil)
        try store.discard("default")
        #expect(try folder.names(in: "sessions") == [".lock"])
    }

    @Test func `discards what is unfinished although it cannot be read`() throws {
        _ = try store.unfinished.save(.ada)
        try folder.write("sessions/pending/default.json", "garbage")
        try store.discard("default")
        #expect(try folder.names(in: "sessions/pending") == [".lock"])
    }

    @Test func `closes files that others could read, and says so once`() throws {
        _ = try store.save(.ada)
        try folder.setMode("sessions/default.json", 0o644)
        try folder.setMode("sessions", 0o755)
        #expect(try store.save(.ada))
        #expect(try folder.mode("sessions/default.json") == "600")
        #expect(try folder.mode("sessions") == "700")
        #expect(try !store.save(.ada))
    }

    @Test func `lists only names that profiles can have`() throws {
        _ = try store.save(.ada)
        for name in ["x.json.bad", ".hidden.json", "no name.json", "notes.txt"] {
            try folder.write("sessions/\(name)", "")
        }
        #expect(try store.profiles() == ["default"])
    }

    @Test func `overwrites a file that cannot be read only when a session is saved`() throws {
        _ = try store.save(.ada)
        try folder.write("sessions/default.json", "garbage")
        #expect(throws: AuthError.self) { try store.update(.ada, ifStill: StoredSession.ada.session.token) }
        #expect(throws: AuthError.self) { try store.remove("default", ifStill: StoredSession.ada.session.token) }
        #expect(try folder.read("sessions/default.json") == "garbage")
    }

    @Test func `finds out whether there is room, and leaves nothing of that behind`() throws {
        try store.prepare()
        #expect(try folder.names(in: "sessions") == [".lock"])
    }

    @Test func `discards a file that cannot be read`() throws {
        _ = try store.save(.ada)
        try folder.write("sessions/default.json", "garbage")
        try store.discard("default")
        #expect(try store.load("default") == nil)
        #expect(try folder.names(in: "sessions") == [".lock"])
    }

    @Test(arguments: [
        ("", AuthError.Reason.corrupt, "is damaged within its first 0 bytes"),
        ("garbage", .corrupt, "is damaged within its first 5 bytes"),
        (#"{"v":2}"#, .newerVersion, "was written by a newer authctl (version 2 of the file)"),
        (#"{"v":1,"profile":"default"}"#, .corrupt, "is cut off at byte 27"),
    ])
    func `says what is wrong with a file, and what to do`(
        content: String, reason: AuthError.Reason, text: String
    ) throws {
        try folder.makeFolder("sessions")
        try folder.write("sessions/default.json", content)
        let error = try #require(throws: AuthError.self) { try store.load("default") }
        #expect(error.reason == reason)
        #expect(error.message == "'\(folder.path)/sessions/default.json' \(text)")
        #expect(error.hints != [])
    }

    @Test func `does not take the file of another profile`() throws {
        _ = try store.save(.ada)
        try folder.write("sessions/ci.json", try folder.read("sessions/default.json"))
        let error = try #require(throws: AuthError.self) { try store.load("ci") }
        #expect(error.reason == .corrupt)
        #expect(error.message.hasSuffix("holds the session of profile 'default'"))
    }

    @Test func `never follows a link`() throws {
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

    @Test func `refuses a file that others can change`() throws {
        _ = try store.save(.ada)
        try folder.setMode("sessions/default.json", 0o620)
        let error = try #require(throws: AuthError.self) { try store.load("default") }
        #expect(error.reason == .unsafe)
        #expect(error.hints == ["run: chmod go-w \(folder.path)/sessions/default.json"])
    }

    @Test(arguments: ["link", "writable", "fifo"])
    func `works alone on no session whose lock others could have made`(kind: String) throws {
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

    @Test func `names the lock of a session and who holds it`() throws {
        try store.exclusively("default", patience: .zero) { () throws(AuthError) in
            let error = refusal { () throws(AuthError) in
                try store.exclusively("default", patience: .zero) { () throws(AuthError) in }
            }
            #expect(
                error?.message == "'\(folder.path)/sessions/.lock-default' is locked by process \(processID())")
        }
    }

    @Test func `keeps the lock of a session whatever the profile is called`() throws {
        let name = "authctl-new-0123456789abcdef"
        try store.exclusively(name, patience: .zero) { () throws(AuthError) in
            _ = try store.save(.sample(profile: name))
        }
        #expect(try folder.names(in: "sessions") == [".lock", ".lock-\(name)", "\(name).json"])
    }
}
