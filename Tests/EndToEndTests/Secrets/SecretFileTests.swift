import Foundation
import TestSupport

/// Files with secrets, as CI jobs and containers have them.
@Suite(.mostlyWaits) struct SecretFileTests {
    private let world = Sandbox()

    @Test func `token --file writes what token prints to a file that only the user can read`() throws {
        _ = try world.signUp("ada")
        let file = "\(world.root)/token"
        try world.write("old", to: file)
        expect(chmod(file, 0o644), 0)
        for more in [[], ["--header"], ["--json"]] {
            let printed = try world.start(["token"] + more).wait().stdout
            let result = try world.start(["token", "--file", file] + more).wait()
            #expect(result.exitCode == 0 && result.stdout.isEmpty, "\(result.everything)")
            try expect(world.text(file), printed)
            expect(world.mode(file), 0o600)
        }
        try expect(world.run("token", "--file", "\(world.root)/none/token").exitCode, 12)
    }

    @Test func `exec removes AUTHCTL_PASSWORD_FILE, and serve keeps it`() throws {
        _ = try world.signUp("ada")
        try world.write(Sandbox.password, to: "\(world.home)/pw")
        chmod("\(world.home)/pw", 0o600)
        let variable = ["AUTHCTL_PASSWORD_FILE": "\(world.home)/pw"]
        try expect(world.run("login", "ada", environment: variable).exitCode, 0)
        let show = ["--", "sh", "-c", "echo ${AUTHCTL_PASSWORD_FILE-unset}"]
        try expect(world.start(["exec"] + show, environment: variable).wait().stdout, "unset\n")
        let served = try world.start(["serve", "--ephemeral"] + show, environment: variable).wait()
        expect(served.stdout, "\(world.home)/pw\n", "\(served.everything)")
    }

    @Test(.enabled(if: Host.canMount && Host.hasUtilLinux, "needs root, mounts and setpriv"))
    func `a password file that root provides, and that the user cannot change, causes no warning`() throws {
        let program = "\(world.root)/authctl"
        let result = try world.runScript(
            """
            cp "$A" '\(program)'; chmod 755 '\(world.root)' '\(program)'; mkdir user mount; chown 1000 user
            echo '\(Sandbox.password)' | tee pw > mount/pw; chmod 444 pw mount/pw; chmod 755 . mount
            user() { HOME=$PWD/user setpriv --reuid 1000 --regid 1000 --clear-groups '\(program)' "$@"; }
            user signup ada --password-file pw
            '\(program)' signup bob --password-file pw 2>&1 | grep -c 'readable by other users; run: chmod'
            chmod 644 mount/pw
            unshare -m sh -c "mount --bind mount mount && mount -o remount,ro,bind mount && '\(program)' login bob --password-file mount/pw"
            chmod 646 pw; user login ada --password-file pw 2>&1 | grep -c 'writable by other users'
            """)
        #expect(!result.stderr.contains("other users"), "\(result.everything)")
        expect(result.stdout.split(separator: "\n").filter { $0 == "1" }.count, 2, "\(result.everything)")
        expect(result.stdout.components(separatedBy: "logged in").count, 3, "\(result.everything)")
    }
}
