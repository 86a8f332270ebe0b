import CommandLineKit
import TestSupport
import Testing

/// The completion scripts of a small program whose help contains characters that are special in shells.
@Suite struct CompletionScriptTests {
    enum Kind: String, CaseIterable { case one, two }

    struct Options: CommandOptions {
        var text = ""
        var kind = Kind.one
        var isOn = false
    }

    private static let program = CommandSpec<Options>(
        "odd", summary: "Be odd",
        arguments: [
            .option({ $0.text = $1 }, "who", short: "w", value: "NAME", help: "Who is it.").completed(
                by: .live("people")),
            .flag({ $0.isOn = $1 }, "loud", short: "l", help: "It's [very] loud: \"$HOME\" `x` \\ 100%."),
            .refused("secret", advice: "no"),
        ])

    private static let commands = [
        CommandSpec<Options>(
            "take", summary: "Take it: 'all' of [it]",
            arguments: [
                .option({ $0.text = $1 }, "from", value: "FILE", help: "Where from."),
                .option({ $0.text = $1 }, "into", value: "FOLDER", help: "Where to."),
                .choice(Kind.self, { $0.kind = $1 }, "kind", help: "Which kind."),
                .option({ $0.text = $1 }, "free", value: "TEXT", help: "Anything."),
                .positional({ $0.text = $1 }, "NAME", help: "Who.").completed(by: .live("people")),
            ]),
        CommandSpec<Options>("box open", summary: "Open a box"),
        CommandSpec<Options>(
            "box fill", summary: "Fill a box",
            arguments: [.remainder({ $0.text = $1 }, "COMMAND", help: "With what this prints.")]),
        CommandSpec<Options>(
            "help", summary: "Help",
            arguments: [
                .positionals({ $0.text = $1 }, "WORD", help: "On what.").completed(by: .commands)
            ]),
    ].map(\.description)

    private let tree = CompletionTree(
        program: program.description, commands: commands, shortNames: [("box", "box open")],
        topics: [HelpRow("oddness", "What is odd")], lister: "__list")

    @Test(.enabled(if: Host.hasShells, "needs zsh and fish"))
    func `bash, zsh and fish parse their completion scripts without errors`() throws {
        let world = try Sandbox()
        let scripts = [
            ("bash", BashCompletion(tree).script), ("zsh", ZshCompletion(tree).script),
            ("fish", FishCompletion(tree).script),
        ]
        for (shell, script) in scripts {
            try world.write(script, to: "\(world.home)/script")
            let result = try world.runScript("\(shell) -n script")
            #expect(result.exitCode == 0 && result.everything.isEmpty, "\(shell): \(result.everything)")
            #expect(!script.contains("secret"))
        }
    }

    @Test(
        .enabled(if: Host.hasShells, "needs fish"),
        arguments: [
            ("odd ", ["take\tTake it: 'all' of [it]", "box\topen, fill", "help\tHelp"]),
            ("odd --lo", ["--loud\tIt's [very] loud: \"$HOME\" x \\ 100%"]),
            ("odd -w x take --kind ", ["one", "two"]),
            ("odd -lw x box f", ["fill\tFill a box"]),
            ("odd --who=x box f", ["fill\tFill a box"]),
            ("odd take --free box --f", ["--free\tAnything", "--from\tWhere from"]),
            ("odd help box f", ["fill\tFill a box"]),
            ("odd help o", ["oddness\tWhat is odd"]),
            ("odd take x b", []),
            ("odd --sec", []),
            ("odd take -- --lo", []),
        ])
    func `fish offers only the words that are valid at the cursor`(line: String, offered: [String]) throws {
        let world = try Sandbox()
        try world.write(FishCompletion(tree).script, to: "\(world.home)/script")
        let result = try world.runScript("fish --no-config -c 'source script; complete -C \"\(line)\"'")
        #expect(result.stdout.split(separator: "\n").map(String.init).sorted() == offered.sorted())
        #expect(result.stderr.isEmpty)
    }

    @Test(arguments: [
        ("odd ", "take box help"), ("odd --lo", "--loud"), ("odd -w x take --kind ", "one two"),
        ("odd -lw x box f", "fill"), ("odd --who=x box f", "fill"), ("odd take --free box --f", "--from --free"),
        ("odd help box f", "fill"), ("odd help o", "oddness"), ("odd take x b", ""), ("odd --sec", ""),
        ("odd take -- --lo", ""), ("odd take --kind=t", "two"), ("odd --who http://x:1 ta", "take"),
        ("odd --who a=b ta", "take"), ("odd tak", "take"), ("odd  ta", "take"), ("odd take --into /us", "/usr"),
        ("odd 'ta", ""),
    ])
    func `bash offers only the words that are valid at the cursor`(line: String, offered: String) throws {
        let world = try Sandbox()
        try world.write(BashCompletion(tree).script, to: "\(world.home)/script")
        // bash splits the line at blanks, `=` and `:`. In COMP_WORDS, `=` and `:` are separate words.
        let parted = line.replacing(/[=:]+/) { " \($0.0) " }
        var words = parted.split(separator: " ").map(String.init)
        if line.hasSuffix(" ") { words.append("") }
        let list = words.map { "\"\($0)\"" }.joined(separator: " ")
        let script = """
            set -u
            . ./script
            COMP_WORDS=(\(list)) COMP_LINE="\(line)" COMP_POINT=${#COMP_LINE}
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _odd
            echo "${COMPREPLY[*]-}"
            """
        let result = try world.runScript(script)
        #expect(result.stdout == "\(offered)\n")
        #expect(result.stderr.isEmpty)
    }

    @Test func `bash completes '--kind=t' as one word if COMP_WORDBREAKS does not contain '='`() throws {
        let world = try Sandbox()
        try world.write(BashCompletion(tree).script, to: "\(world.home)/script")
        let script = """
            . ./script
            COMP_WORDBREAKS=' ' COMP_WORDS=(odd take --kind=t) COMP_LINE="odd take --kind=t" COMP_POINT=17 COMP_CWORD=2
            _odd
            echo "${COMPREPLY[*]}"
            """
        #expect(try world.runScript(script).stdout == "--kind=two\n")
    }

    @Test func `the zsh completion script escapes special characters`() {
        let script = ZshCompletion(tree).script
        #expect(
            script.contains(#"    '(-l --loud)--loud[It'\''s \[very\] loud: "$HOME" x \\ 100%]'"# + "\n"))
        #expect(script.contains(#"'take:Take it\: '\''all'\'' of [it]'"#))
        #expect(script.contains("'(--from)--from=[Where from]:FILE:_files'"))
        #expect(script.contains("'(--into)--into=[Where to]:FOLDER:_files -/'"))
        #expect(script.contains("'(-w --who)-w+[Who is it]:NAME:_odd_live people'"))
        #expect(script.contains("'*::COMMAND:_odd_command'"))
    }
}
