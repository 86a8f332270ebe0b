import Testing

@testable import Platform

@Suite struct PrivateGroupTests {
    private static let users = """
        root:x:0:0:root:/root:/bin/bash
        # A comment, and an empty line:

        daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
        ada:x:1000:1000:Ada,,,:/home/ada:/bin/bash
        bob:x:1001:1001::/home/bob:/bin/bash

        """
    private static let groups = "root:x:0:\ndaemon:x:1:\nusers:x:100:ada,bob\nada:x:1000:\nbob:x:1001:\n"

    @Test func `a user's primary group with the user's name and no member is private`() {
        #expect(isPrivate())
        #expect(isPrivate(groups: Self.groups.replacing("ada:x:1000:", with: "ada:x:1000:ada")))
        #expect(isPrivate(groups: String(Self.groups.dropLast())))
    }

    @Test func `the group of another user and a shared group are not private`() {
        for group in [0, 1, 100, 1001, 4711] as [UInt32] { #expect(!isPrivate(group: group), "\(group)") }
        #expect(!isPrivate(user: 4711))
    }

    @Test(arguments: [
        ("another member", "ada:x:1000:bob"), ("another member beside the user", "ada:x:1000:ada,bob"),
        ("another name", "staff:x:1000:"), ("no entry", "staff:x:2000:"),
        ("two entries", "ada:x:1000:\nstaff:x:1000:bob"), ("a name that differs in case", "Ada:x:1000:"),
    ])
    func `a group with another member or name is not private`(situation: String, line: String) {
        #expect(!isPrivate(groups: Self.groups.replacing("ada:x:1000:", with: line)), "\(situation)")
    }

    @Test(arguments: [
        ("another user with the primary group", "eve:x:1002:1000::/:/bin/sh"),
        ("another name of the user", "eve:x:1000:1000::/:/bin/sh"),
        ("another primary group of the user", "eve:x:1000:1002::/:/bin/sh"),
    ])
    func `a group that another user has is not private`(situation: String, line: String) {
        #expect(!isPrivate(users: Self.users + line + "\n"), "\(situation)")
        #expect(!isPrivate(users: line + "\n" + Self.users), "\(situation)")
    }

    @Test(arguments: [
        "+::::::", "+@staff::::::", "-eve::::::", "eve:x:1002", "eve:x:1002:1002:::/bin/sh:more", ":x:1002:1002::/:",
        "eve:x::1002::/:", "eve:x:1002:-1::/:", "eve:x:+1002:1002::/:", "eve:x:1002:4294968296::/:", "eve:x:1e3:1::/:",
        "eve:x:0x3ea:1::/:", " ",
    ])
    func `a line in the list of users that cannot be read means that no group is private`(line: String) {
        #expect(!isPrivate(users: Self.users + line + "\n"))
    }

    @Test(arguments: ["+:::", "staff:x:50", "staff:x:50::", ":x:50:", "staff:x::", "staff:x:-1:", "staff"])
    func `a line in the list of groups that cannot be read means that no group is private`(line: String) {
        #expect(!isPrivate(groups: Self.groups + line + "\n"))
    }

    @Test func `without users or groups no group is private`() {
        #expect(!isPrivate(users: ""))
        #expect(!isPrivate(groups: ""))
    }

    private func isPrivate(
        group: UInt32 = 1000, user: UInt32 = 1000, users: String = users, groups: String = groups
    ) -> Bool {
        PrivateGroup.isPrivate(group, of: user, users: Array(users.utf8), groups: Array(groups.utf8))
    }
}
