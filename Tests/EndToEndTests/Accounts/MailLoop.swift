import TestSupport

/// The life of an account from signup to a new password, in a shell script without a browser.
struct MailLoop {
    /// The current profile selects the server. Unless the accounts are local, the profile's setting `mailDir` names the
    /// folder of the e-mails.
    let world: Sandbox
    /// The option of `mail` that prints the key of an e-mail.
    var part = "--link"
    /// Whether the server sends the verification e-mail only on request.
    var requestsMail = false
    /// Whether the server rejects a login with an unverified address, without sending another e-mail.
    var rejectsUnverified = false

    func run() throws {
        try world.write("\(Sandbox.password)\n", to: "\(world.root)/old")
        try world.write("\(Sandbox.newPassword)\n", to: "\(world.root)/new")
        // `-x` prints each command line, so the check below finds secrets that the process list would show.
        let script = """
            set -euxo pipefail
            authctl() { "$PROGRAM" "$@"; }
            authctl signup eve --email eve@example.com --password-file old
            \(requestsMail ? "authctl verify-email" : "")
            \(rejectsUnverified ? "if authctl login eve@example.com --password-file old; then exit 1; else test $? = 5; fi" : "")
            authctl mail --to eve@example.com --wait 30 \(part) | authctl verify-email --key-stdin
            authctl login eve@example.com --password-file old
            authctl logout
            authctl password reset eve@example.com
            authctl password reset eve@example.com --from-mail --wait 30 --new-password-file new
            authctl login eve@example.com --password-file new
            authctl whoami
            """
        let end = try world.start(
            [], environment: ["PROGRAM": BuiltBinary.path], folder: world.root, program: ["/bin/bash", "-c", script]
        ).wait()
        expect(end.exitCode, 0, "\(end.everything)")
        #expect(end.stdout.contains("the password was reset") && end.stdout.contains("\neve "), "\(end.everything)")
        let mails = try world.run("mail", "--to", "eve@example.com", "--json").document().objects("items")
        let keys = mails.compactMap { $0.string("link") ?? $0.string("code") }
        expect(keys.count, 2)
        for secret in keys + [Sandbox.password, Sandbox.newPassword] { #expect(!end.everything.contains(secret)) }
        try world.logIn("eve@example.com", "--json").refusal(4, "wrong-password")
    }
}
