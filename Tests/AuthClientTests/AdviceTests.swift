import CommandTestSupport

@testable import AuthClient

/// The next steps that `Advice` adds to errors from backends.
@Suite struct AdviceTests {
    private func advice(_ kind: String = "parse", from origin: Origin = .profile("ci")) -> Advice {
        let descriptor = BackendDescriptor(
            kind: kind, traits(of: kind).union(.takesServer))
        return Advice(
            settings: Settings(
                profile: Setting("ci", from: .builtIn), backend: Setting(descriptor, from: origin),
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

    @Test func `a next step for a connection without a profile changes no profile`() {
        let settings = advice("supabase", from: .environment("AUTHCTL_BACKEND")).settings
        func command(_ key: String) -> NextStep? {
            let step = NextStep("set it", run: ["profile", "set", NextStep.profile, key, "FILE"])
            return AuthError(.badAppKey, "x", next: step).naming(settings).nextSteps.first
        }
        #expect(command("clientKeyFile") == "set it: set the variable AUTHCTL_CLIENT_KEY_FILE")
        #expect(
            command("authPath")?.command == [
                "profile", "add", "NAME", "--backend", "supabase", "--server", "https://a.example",
            ])
    }
}
