import CommandLineKit
import Testing

@Suite struct SpecAuditTests {
    struct Options: CommandOptions {
        var flag = false
        var text: String?
    }

    typealias Spec = CommandSpec<Options>

    static let example = Example("authctl try", "Try it.")

    @Test func `has nothing to say about the sample`() {
        let audit = SpecAudit(
            program: Sample.program.description,
            commands: [Sample.login.description, Sample.set.description, Sample.exec.description])
        #expect(audit.complaints.isEmpty)
    }

    @Test(arguments: [
        ("try it", "the summary does not begin with a capital letter"),
        ("", "the summary does not begin with a capital letter"),
        ("Try it.", "the summary ends with a full stop"),
        ("Try \(String(repeating: "x", count: 57))", "the summary is longer than 60 columns"),
    ])
    func `reads summaries`(summary: String, complaint: String) {
        #expect(complaints(Spec("try", summary: summary, examples: [Self.example])) == ["try: \(complaint)"])
    }

    @Test(arguments: [
        (
            Argument<Options>.flag({ $0.flag = $1 }, "flag", help: "Do it"),
            "the help of '--flag' does not end with a full stop"
        ),
        (.optionalPositional({ $0.text = $1 }, "TEXT", help: ""), "the help of 'TEXT' does not end with a full stop"),
        (.flag({ $0.flag = $1 }, "f", help: "Do it."), "'-f' has no long name"),
        (
            .flag({ $0.flag = $1 }, "flag", help: "Do it.", environment: ["Path"]),
            "a variable of '--flag' is not in capitals"
        ),
        (
            .flag({ $0.flag = $1 }, "profile", help: "Do it."),
            "another argument has the name or the letter of '--profile'"
        ),
        (
            .flag({ $0.flag = $1 }, "flag", short: "p", help: "Do it."),
            "another argument has the name or the letter of '--flag'"
        ),
        (.flag({ $0.flag = $1 }, "help", help: "Do it."), "another argument has the name or the letter of '--help'"),
        (
            .flag({ $0.flag = $1 }, "flag", help: "Not with `--falg` or `-p`."),
            "the text names '--falg', which does not exist"
        ),
        (
            .flag({ $0.flag = $1 }, "flag", help: "Not `--password`."),
            "the text names '--password', which does not exist"
        ),
    ])
    func `reads arguments`(argument: Argument<Options>, complaint: String) {
        let spec = Spec("try", summary: "Try it", examples: [Self.example], arguments: [argument])
        #expect(complaints(spec) == ["try: \(complaint)"])
    }

    @Test(arguments: [
        ("auth try", "does not call authctl"),
        ("myauthctl try", "does not call authctl"),
        ("authctl tyr", "is wrong: unknown command 'tyr'"),
        ("authctl try --bogus", "is wrong: unknown option '--bogus'"),
        ("echo x | authctl try extra | wc", "is wrong: unexpected argument: 'try' takes none"),
        ("curl -H \"T: $(authctl tyr)\" x", "is wrong: unknown command 'tyr'"),
    ])
    func `tries examples`(line: String, complaint: String) {
        let spec = Spec("try", summary: "Try it", examples: [Example(line, "Try it.")])
        #expect(complaints(spec) == ["try: the example '\(line)' \(complaint)"])
    }

    @Test(arguments: [
        "authctl try", "authctl -p 'my work' try -q | grep -x y", "authctl try >out", "authctl try 2>errors <in",
        "curl -H \"T: $(authctl try)\" x", "AUTHCTL_PROFILE=x authctl try", "authctl try -p \"a|b\"; ls --all",
        "authctl --version", "authctl --help",
    ])
    func `takes examples as a shell would`(line: String) {
        #expect(complaints(Spec("try", summary: "Try it", examples: [Example(line, "Try it.")])).isEmpty)
    }

    @Test func `wants an example and existing names in the discussion`() {
        let spec = Spec("try", summary: "Try it", discussion: "As `--json`, `-q`, `--bogus=1`, `-` and `x` do.")
        #expect(
            complaints(spec) == ["try: it has no example", "try: the text names '--bogus', which does not exist"])
    }

    private func complaints(_ spec: Spec) -> [String] {
        SpecAudit(program: Sample.program.description, commands: [spec.description]).complaints
    }
}
