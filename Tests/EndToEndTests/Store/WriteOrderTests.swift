import TestSupport

/// The order of system calls ensures that a change survives a power failure after authctl reports success.
@Suite(.mostlyWaits, .keepsStore, .enabled(if: Host.canTrace, "needs strace")) struct WriteOrderTests {
    private let world = Sandbox()

    init() throws {
        try world.signUp("ada")
    }

    @Test func `a login syncs and renames the session file and syncs its folder before it reports success`() throws {
        let calls = try trace("login", "ada", "--password-stdin")
        let made = try #require(calls.lastIndex { $0.contains(".authctl-new-") && $0.contains("O_CREAT") })
        let descriptor = try #require(calls[made].firstMatch(of: /= (\d+)$/)?.1)
        let rest = calls[made...]
        let written = try #require(rest.firstIndex { $0.contains("write(\(descriptor), \"{\\\"v\\\":1") })
        let synchronised = try #require(rest.firstIndex { $0.contains("sync(\(descriptor))") })
        let renamed = try #require(rest.firstIndex { $0.contains("rename") && $0.contains("default~~") })
        let folder = try #require(calls[renamed].firstMatch(of: /renameat2?\((\d+),/)?.1)
        let folderSynchronised = try #require(calls[renamed...].firstIndex { $0.contains("sync(\(folder))") })
        let reported = try #require(calls.firstIndex { $0.contains("write(1,") })
        #expect(made < written)
        #expect(written < synchronised)
        #expect(synchronised < renamed)
        #expect(renamed < folderSynchronised)
        #expect(folderSynchronised < reported)
    }

    @Test func `a logout syncs the session folder before it reports success`() throws {
        let calls = try trace("logout")
        let removed = try #require(calls.firstIndex { $0.contains("unlinkat(") && $0.contains("default~~") })
        let folder = try #require(calls[removed].firstMatch(of: /unlinkat\((\d+),/)?.1)
        let synchronised = try #require(calls[removed...].firstIndex { $0.contains("sync(\(folder))") })
        let reported = try #require(calls.firstIndex { $0.contains("write(1,") })
        #expect(synchronised < reported)
    }

    @Test func `a signup syncs the database before it reports success`() throws {
        let calls = try trace("signup", "bob", "--password-stdin", "--no-login")
        let synchronised = try #require(calls.firstIndex { $0.contains("sync(") })
        let reported = try #require(calls.firstIndex { $0.contains("write(1,") })
        #expect(synchronised < reported)
    }

    @Test func `profile add syncs the configuration before it reports success`() throws {
        let calls = try trace("profile", "add", "ci", "--backend", "local")
        let renamed = try #require(calls.firstIndex { $0.contains("rename") && $0.contains("config.json") })
        let synchronised = try #require(calls[renamed...].firstIndex { $0.contains("sync(") })
        let reported = try #require(calls.firstIndex { $0.contains("write(1,") })
        #expect(calls[..<renamed].contains { $0.contains("sync(") })
        #expect(synchronised < reported)
    }

    private func trace(_ words: String...) throws -> [Substring] {
        let path = "\(world.root)/trace"
        let calls = "openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlinkat"
        let result = try world.start(words, input: .password, under: .strace(calls, into: path)).wait()
        expect(result.exitCode, 0)
        return try world.text(path).split(separator: "\n")
    }
}
