import TestSupport

/// Bulk files that outlive the accounts of a Django site.
@Suite(.mostlyWaits, .serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct StaleFilesSiteTests {
    @Test(arguments: [DjangoServer.Family.djRestAuth, .allauth])
    func `after accounts are deleted in the database, the same commands say so, and --replace begins anew`(
        family: DjangoServer.Family
    ) throws {
        let server = try SharedSites.server("none", family)
        let world = try Sandbox(visiting: server)
        func users(_ line: String) throws -> Finished {
            let words = ["users"] + line.split(separator: " ").map(String.init) + ["--rate", "9/s"]
            return try world.start(words, folder: world.root).wait()
        }
        let create = "create --count 2 --name gone-{n} --email gone-{n}@example.com --journal j --credentials c"
        let logIn = "login --credentials c --tokens t"
        let (created, logins) = (try users(create), try users(logIn))
        #expect(created.exitCode == 0 && created.stdout.hasPrefix("2 created in "), "\(created.everything)")
        #expect(logins.exitCode == 0 && logins.stdout.hasPrefix("2 logged in in "), "\(logins.everything)")
        let repeated = try (users(create), users(logIn))
        #expect(repeated.0.exitCode == 0 && repeated.0.stdout.hasPrefix("2 skipped in "), "\(repeated.0.everything)")
        #expect(repeated.1.exitCode == 0 && repeated.1.stdout.hasPrefix("2 skipped in "), "\(repeated.1.everything)")
        for name in ["gone-1", "gone-2"] { try server.change("delete", name) }
        let (gone, refused) = (try users(create), try users(logIn))
        #expect(gone.exitCode == 11 && gone.stdout.hasPrefix("1 skipped, 1 failed in "), "\(gone.everything)")
        #expect(gone.stderr.contains("the account is gone, or has another password"), "\(gone.stderr)")
        #expect(gone.stderr.contains("to begin anew, add --replace to users create"), "\(gone.stderr)")
        #expect(refused.exitCode == 11 && refused.stdout.hasPrefix("2 failed in "), "\(refused.everything)")
        try expect(world.text("\(world.root)/t"), "", "the tokens of accounts that are gone are dead")
        let (replaced, anew) = (try users(create + " --replace"), try users(logIn))
        #expect(replaced.exitCode == 0 && replaced.stdout.hasPrefix("2 created in "), "\(replaced.everything)")
        #expect(anew.exitCode == 0 && anew.stdout.hasPrefix("2 logged in in "), "\(anew.everything)")
        #expect(world.isThere("\(world.root)/j.1") && world.isThere("\(world.root)/c.1"))
        let skipped = try users(logIn)
        #expect(skipped.exitCode == 0 && skipped.stdout.hasPrefix("2 skipped in "), "\(skipped.everything)")
    }
}
