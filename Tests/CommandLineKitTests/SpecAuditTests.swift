import CommandLineKit
import MessageSnapshots
import Testing

@Suite struct SpecAuditTests {
    struct Options: CommandOptions {
        var flag = false
        var text: String?
    }

    typealias Spec = CommandSpec<Options>

    static let example = Example("authctl try", "Try it.")

    @Test func `the audit of the sample program reports nothing`() {
        let audit = SpecAudit(
            program: Sample.program.description,
            commands: [Sample.login.description, Sample.set.description, Sample.exec.description])
        #expect(audit.violations.isEmpty)
    }

    @Test(arguments: ["try it", "", "Try it.", "Try \(String(repeating: "x", count: 57))"])
    func `the audit reports a malformed summary`(summary: String) {
        let violations = violations(Spec("try", summary: summary, examples: [Self.example]))
        #expect(violations.count == 1)
        expect(violations, summary.isEmpty ? "empty" : summary)
    }

    @Test(arguments: [
        (Argument<Options>.flag({ $0.flag = $1 }, "flag", help: "Do it"), "help without a full stop"),
        (.optionalPositional({ $0.text = $1 }, "TEXT", help: ""), "empty help"),
        (.flag({ $0.flag = $1 }, "f", help: "Do it."), "no long name"),
        (.flag({ $0.flag = $1 }, "flag", help: "Do it.", environment: ["Path"]), "a variable in lower case"),
        (.flag({ $0.flag = $1 }, "profile", help: "Do it."), "the name of a global option"),
        (.flag({ $0.flag = $1 }, "flag", short: "p", help: "Do it."), "the letter of a global option"),
        (.flag({ $0.flag = $1 }, "help", help: "Do it."), "the name of --help"),
        (.flag({ $0.flag = $1 }, "flag", help: "Not with `--falg` or `-p`."), "an unknown option in the help"),
        (.flag({ $0.flag = $1 }, "flag", help: "Not `--password`."), "a rejected option in the help"),
    ])
    func `the audit reports a malformed argument`(argument: Argument<Options>, situation: String) {
        let violations = violations(
            Spec("try", summary: "Try it", examples: [Self.example], arguments: [argument]))
        #expect(violations.count == 1)
        expect(violations, situation)
    }

    @Test(arguments: [
        "auth try", "myauthctl try", "authctl tyr", "authctl try --bogus", "echo x | authctl try extra | wc",
        "curl -H \"T: $(authctl tyr)\" x",
    ])
    func `the audit reports an example that does not run`(line: String) {
        let violations = violations(Spec("try", summary: "Try it", examples: [Example(line, "Try it.")]))
        #expect(violations.count == 1)
        expect(violations, line)
    }

    @Test(arguments: [
        "authctl try", "authctl -p 'my work' try -q | grep -x y", "authctl try >out", "authctl try 2>errors <in",
        "curl -H \"T: $(authctl try)\" x", "AUTHCTL_PROFILE=x authctl try", "authctl try -p \"a|b\"; ls --all",
        "authctl --version", "authctl --help",
    ])
    func `the audit reads an example as a shell does`(line: String) {
        #expect(violations(Spec("try", summary: "Try it", examples: [Example(line, "Try it.")])).isEmpty)
    }

    @Test func `the audit reports a missing example and unknown options in the discussion`() {
        let spec = Spec("try", summary: "Try it", discussion: "As `--json`, `-q`, `--bogus=1`, `-` and `x` do.")
        #expect(violations(spec).count == 2)
        expect(violations(spec))
    }

    private func expect(_ violations: [String], _ situation: String? = nil) {
        MessageFile("spec-audit").expect(violations.joined(separator: "\n"), situation)
    }

    private func violations(_ spec: Spec) -> [String] {
        SpecAudit(program: Sample.program.description, commands: [spec.description]).violations
    }
}
