/// The result of parsing a command's words.
///
/// The generic parameters have no constraints, because creating a constrained generic type searches all conformances
/// when the program starts.
package enum ParsedCommand<Options, Global> {
    case help
    case run(Options, Global)
}

extension ParsedCommand: Equatable where Options: Equatable, Global: Equatable {}

extension CommandSpec where Options: CommandOptions {
    /// Parses the words before and after the command's name. The command's options and global options may be mixed.
    package func parse<Global: CommandOptions>(
        _ words: [String], program: CommandSpec<Global>
    ) throws(CommandLineError) -> ParsedCommand<Options, Global> {
        var scanner = CommandLineScanner(
            words[...], known: description.arguments + program.description.arguments, rules: description.rules,
            path: "\(program.description.name) \(description.name)")
        try scanner.scan()
        if scanner.wantsHelp { return .help }

        var (options, global) = (Options(), Global())
        for assignment in scanner.assignments {
            if assignment.index < arguments.count {
                try arguments[assignment.index].assign(assignment, to: &options)
            } else {
                try program.arguments[assignment.index - arguments.count].assign(assignment, to: &global)
            }
        }
        return .run(options, global)
    }

    /// Parses words that contain only the arguments of this declaration.
    ///
    /// - Throws: `CommandLineError`, even for `--help`, because there is no help page for these arguments.
    package func parse(_ words: [String]) throws(CommandLineError) -> Options {
        var scanner = CommandLineScanner(
            words[...], known: description.arguments, rules: description.rules, path: description.name)
        try scanner.scan()
        if scanner.wantsHelp { throw CommandLineError("unexpected option '--help'") }

        var options = Options()
        for assignment in scanner.assignments {
            try arguments[assignment.index].assign(assignment, to: &options)
        }
        return options
    }

    /// Parses as much as possible, and skips errors and unknown options.
    ///
    /// Used for the global options that determine the format of help pages and errors.
    package func parseLeniently(_ words: [String]) -> Options {
        var scanner = CommandLineScanner(words[...], known: description.arguments, path: description.name)
        // `try?`: the valid words before and after an error are still used.
        try? scanner.scan()
        var options = Options()
        for assignment in scanner.assignments {
            try? arguments[assignment.index].assign(assignment, to: &options)
        }
        return options
    }
}
