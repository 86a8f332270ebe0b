import CommandLineKit
import Expectations

@Suite struct OptionRuleTests {
    struct Options: CommandOptions {
        var text = ""
        var isOn = false
    }

    private static let spec = CommandSpec<Options>(
        "send", summary: "Send it",
        arguments: [
            .optionalPositional({ $0.text = $1 }, "WHO", help: "Who."),
            .flag({ $0.isOn = $1 }, "fast", short: "f", help: "Fast."),
            .flag({ $0.isOn = $1 }, "slow", help: "Slow."),
            .option({ $0.text = $1 }, "by", value: "NAME", help: "By whom."),
            .list({ $0.text = $1 }, "tag", value: "TAG", help: "With tags."),
            .flag({ $0.isOn = $1 }, "force", help: "Force it."),
            .flag({ $0.isOn = $1 }, "check", help: "Check it."),
        ],
        rules: [
            .exclusive(groups: [["WHO", "fast"], ["slow"]]), .exclusive("by", "tag"),
            .requires(["force"], oneOf: ["by", "tag"]), .requires(["check"], oneOf: ["by"], with: ["slow"]),
        ])

    @Test(arguments: ["", "ada -f", "ada --fast --by x --force", "--tag a --tag b", "--check", "--slow --check --by x"])
    func `options that satisfy the declared rules are accepted`(line: String) throws {
        _ = try Self.spec.parse(Sample.words(line).filter { !$0.isEmpty })
    }

    @Test(arguments: [
        ("--slow -f", "options --fast and --slow are mutually exclusive", "use one of them"),
        ("--slow ada", "WHO and --slow are mutually exclusive", "use one of them"),
        ("--tag a --by x --tag b", "options --by and --tag are mutually exclusive", "use one of them"),
        ("ada --force", "option --force requires --by or --tag", "add --by NAME or --tag TAG"),
        ("--check --slow", "option --check with --slow requires --by", "remove --check, or add --by NAME"),
    ])
    func `options that break a declared rule are rejected with a hint`(line: String, message: String, hint: String) {
        let error = #expect(throws: CommandLineError.self) { try Self.spec.parse(Sample.words(line)) }
        expect(error, CommandLineError(message, hints: [hint]))
    }

    @Test func `--help takes precedence over mutually exclusive options`() throws {
        try expect(Self.spec.parse(Sample.words("--fast --slow --help"), program: Sample.program), .help)
    }

    @Test func `a help page lists which options are mutually exclusive or require other options`() {
        let page = HelpPage.command(Self.spec.description, program: Sample.program.description)
        #expect(
            page.text().contains(
                """

                `WHO` and `--fast` cannot be combined with `--slow`.
                Mutually exclusive: `--by` | `--tag`.
                `--force` requires `--by` or `--tag`.
                With `--slow`: `--check` requires `--by`.

                """))
    }

    @Test(arguments: [
        ("", ["fast", "slow", "by", "tag", "force", "check"]), ("ada", ["fast", "by", "tag", "force", "check"]),
        ("--slow", ["by", "tag", "force", "check"]), ("-f --tag x", ["tag", "force", "check"]),
        ("--by x -- ada", ["fast", "force", "check"]),
    ])
    func `completion offers no option that is used or that a used argument excludes`(
        line: String, names: [String]
    ) throws {
        let words = ["send"] + Sample.words(line).filter { !$0.isEmpty }
        let point = try #require(
            CompletionPoint(
                words, program: Sample.program.description, isGroup: { _ in false },
                command: { _ in Self.spec.description }))
        let own = Self.spec.description.arguments.map(\.name)
        expect(point.options.map(\.name).filter(own.contains), names)
    }
}
