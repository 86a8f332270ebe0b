import AuthModel
import CommandLineKit
import Platform

/// Runs a command line and returns how the process must end.
package struct Runner {
    private let world: World

    package init(world: World) {
        self.world = world
    }

    /// - Parameter words: the command line without the program's name.
    package func run(_ words: [String]) -> Ending {
        if words.first == ShellCompletion.word { return ShellCompletion(Array(words.dropFirst()), in: world).run() }
        let head: CommandLineHead
        do throws(CommandLineError) {
            head = try CommandLineHead(
                words, program: GlobalOptions.spec.description, commands: CommandRegistry.names,
                meaning: { CommandRegistry.name(meantBy: $0) })
        } catch {
            return refuse(error, words)
        }
        switch head.target {
        case .program: return runProgram(head, words)
        case .group(let name): return help(on: name, words)
        case .command(let name):
            guard let command = CommandRegistry.command(named: name) else {
                preconditionFailure("a name of the registry has no command")
            }
            return run(command, typedAs: name, head, words)
        }
    }

    private func run<Chosen: Command>(
        _ command: Chosen.Type, typedAs name: String, _ head: CommandLineHead, _ words: [String]
    ) -> Ending {
        if head.wantsHelp { return help(on: name, words) }
        let parsed: ParsedCommand<Chosen.Options, GlobalOptions>
        do throws(CommandLineError) {
            parsed = try Chosen.spec.parse(head.words, program: GlobalOptions.spec)
        } catch {
            return refuse(error, words, readsOutputVariable: command.readsOutputVariable)
        }
        switch parsed {
        case .help: return help(on: name, words)
        case .run(let options, let globals): return run(command, options, globals)
        }
    }

    private func run<Chosen: Command>(
        _ command: Chosen.Type, _ options: Chosen.Options, _ globals: GlobalOptions
    ) -> Ending {
        let format: OutputFormat
        do throws(AuthError) {
            format = try outputFormat(globals, readsOutputVariable: Chosen.readsOutputVariable)
        } catch {
            return printer(globals, .text).finish(error)
        }
        let printer = printer(globals, format)
        let context = Context(world: world, globals: globals, printer: printer)
        do throws(AuthError) {
            return printer.finish(try Chosen.run(options, in: context))
        } catch {
            return printer.finish(error)
        }
    }

    /// Handles a command line without a command: shows help, the version or the welcome page, or reports an error.
    private func runProgram(_ head: CommandLineHead, _ words: [String]) -> Ending {
        if head.wantsHelp { return help(on: "", words) }
        let globals: GlobalOptions
        do throws(CommandLineError) {
            globals = try GlobalOptions.spec.parse(head.words.filter { $0 != "--version" })
        } catch {
            return refuse(error, words)
        }
        if head.wantsVersion { return run(VersionCommand.self, VersionCommand.Options(), globals) }
        if globals.format == .json {
            return refuse(CommandLineError("missing command", hints: ["see 'authctl help'"]), words)
        }
        let context = Context(world: world, globals: globals, printer: printer(globals, .text))
        // `try?`: if standard error cannot be written, there is no place to report that.
        try? world.errorOutput.write(Welcome(context: context).text)
        return .exit(Outcome.usage.exitCode)
    }

    /// Shows help in the format that the words request, even if other words are invalid.
    private func help(on subject: String, _ words: [String]) -> Ending {
        var options = HelpCommand.Options()
        options.words = subject.isEmpty ? [] : [subject]
        return run(HelpCommand.self, options, GlobalOptions.spec.parseLeniently(words))
    }

    /// Reports an invalid command line, in the output format that its words request, else in the format that
    /// AUTHCTL_OUTPUT sets, else as text.
    private func refuse(_ error: CommandLineError, _ words: [String], readsOutputVariable: Bool = true) -> Ending {
        let globals = GlobalOptions.spec.parseLeniently(words)
        let variable = readsOutputVariable ? world.environment["AUTHCTL_OUTPUT"].flatMap(OutputFormat.init) : nil
        // The correction has all options as typed, so the hint must not add them.
        let correction = error.correction.map { correction in
            "\(correction.sentence): \(correction.words.map(\.shellQuoted).joined(separator: " "))"
        }
        let hints = (correction.map { [$0] } ?? []) + error.hints
        return printer(globals, globals.format ?? variable ?? .text)
            .finish(AuthError(.usage, error.message, nextSteps: hints.map { NextStep($0) }))
    }

    private func outputFormat(_ globals: GlobalOptions, readsOutputVariable: Bool) throws(AuthError) -> OutputFormat {
        if let format = globals.format { return format }
        guard readsOutputVariable, let name = world.environment["AUTHCTL_OUTPUT"] else { return .text }
        guard let format = OutputFormat(rawValue: name) else {
            throw AuthError(
                .usage, "output '\(name)' (from AUTHCTL_OUTPUT) is not one of text, json",
                nextSteps: ["set AUTHCTL_OUTPUT to text or json"])
        }
        return format
    }

    private func printer(_ globals: GlobalOptions, _ format: OutputFormat) -> Printer {
        let hints = HintRenderer(globals, usesProfile: CommandRegistry.usesProfile)
        var errorStyle = TextStyle(globals.color, world.environment, isTerminal: world.errorOutput.isTerminal)
        errorStyle.width = world.errorOutput.isTerminal ? world.terminalWidth() : nil
        var outputStyle = TextStyle(globals.color, world.environment, isTerminal: world.output.isTerminal)
        outputStyle.width = world.output.isTerminal ? world.terminalWidth() : nil
        let isAnimated =
            world.errorOutput.isTerminal && world.environment["TERM"] != "dumb" && !world.environment.isOn("CI")
        return Printer(
            output: world.output,
            outputStyle: outputStyle,
            isVerbose: globals.isVerbose,
            events: TerminalEvents(
                output: world.errorOutput, style: errorStyle, format: format, isQuiet: globals.isQuiet,
                moves: isAnimated, notice: world.progressNotices, hints: hints))
    }
}
