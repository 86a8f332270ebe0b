import CommandTestSupport

@testable import AuthClient

/// The next steps that `Advice` adds to errors from backends.
@Suite struct AdviceTests {
    private func advice(_ kind: String = "parse") -> Advice {
        let descriptor = BackendDescriptor(
            kind: kind, traits(of: kind).union(.takesServer))
        return Advice(
            settings: Settings(
                profile: Setting("ci", from: .builtIn), backend: Setting(descriptor, from: .profile("ci")),
                connection: Connection(backend: kind, server: "https://a.example"), serverOrigin: .profile("ci")),
            isVerbose: false)
    }

    /// The hints of an error, joined into one line.
    private func hints(of error: AuthError, kind: String = "parse") -> String {
        advice(kind).completing(error).hints.joined(separator: "; ")
    }

    private func expect(_ lines: [String]) {
        MessageFile("use-cases/advice").expect(lines.joined(separator: "\n"))
    }

    private static let rows: [(AuthError.Reason, Int?)] = [
        (.wrongEndpoint, 404), (.dns, nil), (.connect, nil), (.timeout, nil), (.badAppKey, 403), (.rateLimited, 429),
        (.serverFault, 500), (.invalidResponse, 200),
    ]

    @Test func `the hint for an error of the connection depends on its reason and the settings`() {
        expect(
            Self.rows.map { reason, status in
                "\(reason): \(hints(of: AuthError(reason, "x", server: status.map { ServerDetail(status: $0) })))"
            })
    }

    @Test func `an error with its own hint gets no hint about the connection`() {
        #expect(advice().completing(AuthError(.tls, "x", next: "fix it")).hints == ["fix it"])
        #expect(advice().completing(AuthError(.timeout, "x", next: "fix it")).hints == ["fix it"])
        #expect(advice().completing(AuthError(.wrongEndpoint, "x", next: "fix it")).hints == ["fix it"])
    }

    @Test func `a next step of a backend names the profile in use`() {
        let step = NextStep("set it", run: ["profile", "set", NextStep.profile, "mfaPath", "PATH"])
        #expect(advice().completing(AuthError(.unsupported, "x", next: step)).nextSteps.first?.command[2] == "ci")
    }

    @Test func `a next step for a server that is not the profile's changes no setting of the profile`() {
        var settings = advice("supabase").settings
        settings.usesProfile = false
        func steps(_ key: String) -> [NextStep] {
            let step = NextStep("set it", run: ["profile", "set", NextStep.profile, key, "FILE"])
            return AuthError(.badAppKey, "x", next: step).naming(settings).nextSteps
        }
        #expect(steps("clientKeyFile") == ["set it: AUTHCTL_CLIENT_KEY_FILE=FILE"])
        let server = ["--backend", "supabase", "--server", "https://a.example"]
        #expect(
            steps("authPath").map(\.command) == [
                ["profile", "add", "NAME"] + server, ["profile", "set", "NAME", "authPath", "FILE"],
            ])
    }
}
