import Foundation
import TestSupport

/// The files that the README's install command installs, and the manual pages as man and mandoc read them.
@Suite(.mostlyWaits) struct InstalledFilesTests {
    private let world = Sandbox()

    @Test func `the README's install command installs all files, and its uninstall command removes them`() throws {
        let installation = try Installation(in: world)
        let files = installation.files
        #expect(files.contains("bin/authctl"))
        #expect(files.contains("share/man/man1/authctl.1") && files.contains("share/man/man1/authctl-login.1"))
        #expect(files.contains("share/man/man5/authctl-json.5") && files.contains("share/man/man7/authctl-recipes.7"))
        #expect(files.contains("share/bash-completion/completions/authctl"))
        #expect(files.contains("share/zsh/site-functions/_authctl"))
        #expect(files.contains("share/fish/vendor_completions.d/authctl.fish"))
        expect(files.count, 1 + 3 + pages.count)
        expect(world.mode("\(installation.prefix)/bin/authctl"), 0o755)
        expect(world.mode("\(installation.prefix)/share/man/man1/authctl.1"), 0o644)
        // The uninstall command must keep files of other packages.
        try world.write("", to: "\(installation.prefix)/share/man/man1/other.1")
        try installation.undo()
        expect(installation.files, ["share/man/man1/other.1"])
    }

    /// A script replaces the program, because it takes long to compress a debug build.
    @Test(.enabled(if: Host.hasProc, "needs Linux"))
    func `a wheel installs program and manual pages in a virtual environment, and is the same bytes twice`() throws {
        let prefix = try Installation(in: world).prefix
        try world.write("#!/bin/sh\nexec '\(BuiltBinary.path)' \"$@\"\n", to: "\(prefix)/bin/authctl")
        try world.write("none", to: "\(prefix)/COPYRIGHT")
        let script = """
            set -e
            export SOURCE_DATE_EPOCH=1700000000
            for folder in a b; do mkdir $folder; '\(Installation.project)/.ci/wheel' '\(prefix)' 0.1.0 $folder; done
            cmp a/*.whl b/*.whl
            /usr/bin/python3 -m venv venv
            venv/bin/pip install --quiet --no-index --no-deps --disable-pip-version-check a/*.whl
            test -f venv/share/man/man1/authctl-login.1
            venv/bin/authctl version
            """
        // Python takes long to make an environment on a busy machine.
        let result = try world.start([], program: ["/bin/bash", "-c", script]).wait(atMost: .seconds(600))
        #expect(result.exitCode == 0 && result.stdout.hasPrefix("authctl "), "\(result.everything)")
    }

    /// The program is copied after the installation, because it takes long to compress a debug build.
    @Test(.enabled(if: Host.canMount && hasWheels, "needs root, mounts and the wheel of pycurl"))
    func `without a libcurl of the system, an installed wheel logs in over https with pycurl's libcurl`() throws {
        let prefix = try Installation(in: world).prefix
        try world.write("", to: "\(prefix)/bin/authctl")
        try world.write("none", to: "\(prefix)/COPYRIGHT")
        let server = try ServingProgram(world: world)
        let front = try TLSFront(of: server)
        let script = """
            set -e
            SOURCE_DATE_EPOCH=1700000000 '\(Installation.project)/.ci/wheel' '\(prefix)' 0.1.0 .
            /usr/bin/python3 -m venv venv
            venv/bin/pip install --quiet --no-index --find-links '\(Self.wheels)' --disable-pip-version-check ./*.whl
            cp '\(BuiltBinary.path)' venv/bin/authctl
            ln -s venv/bin/authctl authctl
            for file in /usr/lib/*/libcurl.so.4*; do mount --bind /dev/null $file; done
            export AUTHCTL_BACKEND=parse AUTHCTL_SERVER=\(front.origin)/parse AUTHCTL_APP_ID=local
            export AUTHCTL_CA_CERT='\(TestAuthority.file)'
            echo '\(Sandbox.password)' | ./authctl signup ada --password-stdin
            echo '\(Sandbox.password)' | ./authctl login ada --password-stdin
            unset AUTHCTL_CA_CERT
            mount -t tmpfs none /etc/ssl/certs
            ./authctl doctor -v | grep '  network[.]'
            chmod o+w venv/lib/python3*/site-packages
            ./authctl whoami || echo "exit $?"
            rm -r venv/lib/python3*/site-packages/pycurl*
            ./authctl whoami || echo "exit $?"
            """
        let result = try withExtendedLifetime((server, front)) {
            try world.start([], program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script])
                .wait(atMost: .seconds(600))
        }
        #expect(result.stdout.contains("\nlogged in as ada"), "\(result.everything)")
        #expect(result.stdout.contains("site-packages/pycurl.libs/libcurl-"), "\(result.everything)")
        #expect(result.stdout.contains("site-packages/certifi/cacert.pem'"), "\(result.everything)")
        expect(result.stdout.components(separatedBy: "exit 1").count, 3, "\(result.everything)")
        #expect(result.stderr.contains("site-packages' is writable by other users"), "\(result.everything)")
        #expect(result.stderr.contains("apt-get install libcurl4"), "\(result.everything)")
    }

    private static let wheels = "\(Installation.project)/.build/pycurl"
    private static let hasWheels =
        ProcessInfo.processInfo.environment["AUTHCTL_TEST_SERVERS"] == "required"
        || FileManager.default.fileExists(atPath: "\(wheels)/installed")

    @Test(.enabled(if: Host.hasManual, "needs mandoc and man"))
    func `mandoc reports no warning for the manual pages`() throws {
        let result = try world.runScript("cd '\(Installation.project)/man' && mandoc -T lint *")
        #expect(result.exitCode == 0 && result.everything.isEmpty, "\(result.everything)")
    }

    @Test(.enabled(if: Host.hasManual, "needs mandoc and man"))
    func `man finds the installed manual pages, and lexgrog parses their descriptions`() throws {
        let prefix = try Installation(in: world).prefix
        let script = "export MANPATH='\(prefix)/share/man'; man -w authctl-json; lexgrog \"$(man -w authctl-login)\""
        let result = try world.runScript(script)
        #expect(result.stdout.contains("/man5/authctl-json.5"))
        #expect(result.stdout.contains(": \"authctl-login - "))
    }

    /// File names of all manual pages.
    private var pages: [String] {
        world.contents(of: "\(Installation.project)/man").compactMap { $0.split(separator: "/").last.map(String.init) }
    }
}
