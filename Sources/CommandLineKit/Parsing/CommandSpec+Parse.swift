/// What a command line asks of a command.
///
/// Unconstrained, as the specs are: building a constrained generic type searches all conformances at start-up.
package enum ParsedCommand<Options, Global> {
    case help
    case run(Options, Global)
}

extension ParsedCommand: Equatable where Options: Equatable, Global: Equatable {}

extension CommandSpec where Options: CommandOptions {
    /// Reads the words that stand before and after the command's name, its own options and the program's mixed.
    package func parse<Global: CommandOptions>(
        _ words: [String], program: CommandSpec<Global>
    ) throws(CommandLineError) -> ParsedCommand<Options, Global> {
        var scanner = CommandLineScanner(
            words[...], known: description.arguments + program.description.arguments,
            path: "\(program.description.name) \(description.name)")
        try scanner.scan()
        if scanner.wantsHelp { return .help }

        var (options, global) = (Options(), Global())
        for assignment in scanner.assignments {
            if assignment.index < arguments.count {
                try arguments[assignment.index].assign(assignment.value, to: &options)
            } else {
                try program.arguments[assignment.index - arguments.count].assign(assignment.value, to: &global)
            }
        }
        return .run(options, global)
    }

    /// Reads words that hold nothing but this declaration's arguments.
    ///
    /// - Throws: `CommandLineError`, also for `--help`, which there is nobody here to answer.
    package func parse(_ words: [String]) throws(CommandLineError) -> Options {
        var scanner = CommandLineScanner(words[...], known: description.arguments, path: description.name)
        try scanner.scan()
        if scanner.wantsHelp { throw CommandLineError("unexpected option '--help'") }

        var options = Options()
        for assignment in scanner.assignments {
            try arguments[assignment.index].assign(assignment.value, to: &options)
        }
        return options
    }

    /// Reads what it can of words that may be wrong and may hold other commands' options, and skips the rest.
    ///
    /// For the global options when there is help or an error to show: they say in which form.
    package func parseLeniently(_ words: [String]) -> Options {
        var scanner = CommandLineScanner(words[...], known: description.arguments, path: description.name)
        // Errors are skipped here and below: what was read before and after them still counts.
        try? scanner.scan()
        var options = Options()
        for assignment in scanner.assignments {
            try? arguments[assignment.index].assign(assignment.value, to: &options)
        }
        return options
    }
}
