import AuthClient
import AuthModel
import CommandLineKit

/// Answers a shell that completes a command line: `authctl __complete zsh -- profile set live ''`.
///
/// The words after `--` are the command line up to the cursor; the last one is being typed. The answer has a line for
/// each candidate: the word, a tab and a description. Or it is a word without a tab: `files`, `folders`, `command` (the
/// command line of another program follows `--`) or `none`.
///
/// `__complete` is internal, so help omits it. It reads only the configuration and the names of session files. If
/// reading fails, it offers nothing, because an error message would appear in the middle of the user's command line.
struct ShellCompletion {
    static let word = "__complete"

    private enum Answer {
        case candidates([HelpRow])
        case files, folders, command, none

        static func words(_ words: [String], after prefix: String) -> Answer {
            .candidates(words.map { HelpRow(prefix + $0, "") })
        }
    }

    private let world: World
    /// bash neither shows descriptions nor filters candidates.
    private let isBash: Bool
    /// The words before the cursor.
    private let line: [String]
    private let typed: String

    /// - Parameter words: the shell, `--`, and the words up to the cursor.
    init(_ words: [String], in world: World) {
        self.world = world
        isBash = words.first == "bash"
        line = Array(words.dropFirst(2).dropLast())
        typed = words.dropFirst(2).last ?? ""
    }

    func run() -> Ending {
        let text =
            switch answer {
            case .candidates(let rows):
                rows.reduce(into: "") { text, row in
                    if !isBash || row.term.hasPrefix(typed) { text += row.term + "\t" + row.text + "\n" }
                }
            case .files: "files\n"
            case .folders: "folders\n"
            case .command: "command\n"
            case .none: ""
            }
        // `try?`: a completion script cannot report errors.
        try? world.output.write(text.isEmpty ? "none\n" : text)
        return .exit(0)
    }

    private var answer: Answer {
        // Without options before the cursor, the words alone name the command. The declarations take longer to make.
        if !line.contains(where: { $0.hasPrefix("-") }), !typed.hasPrefix("-") {
            let words = words(after: line.joined(separator: " "))
            if !words.isEmpty { return .candidates(words) }
        }
        let point = CompletionPoint(
            line, program: GlobalOptions.spec.description,
            isGroup: { name in CommandRegistry.groupSummaries.contains { $0.term == name } },
            command: { CommandRegistry.command(named: $0)?.description })
        guard let point else { return .none }
        if let (completion, prefix) = point.value(typed) { return values(completion, point, after: prefix) }
        if point.isAfterDashes { return point.operand.map { values($0, point) } ?? .none }
        if typed.hasPrefix("-") { return .candidates(options(point)) }
        let words = words(after: point.name)
        if !words.isEmpty { return .candidates(words) }
        switch point.operand {
        case .commandLine: return .candidates([HelpRow("--", "")] + options(point))
        case let completion?: return values(completion, point)
        case nil: return .candidates(options(point))
        }
    }

    private func values(_ completion: ValueCompletion, _ point: CompletionPoint, after prefix: String = "") -> Answer {
        switch completion {
        case .nothing: .none
        case .files: .files
        case .folders: .folders
        case .commandLine: .command
        case .words(let list): .words(list(), after: prefix)
        // A configuration file edited by hand may contain names with characters that are special in a shell.
        case .live("profiles"): .words(configuration.names.filter(Profile.isName), after: prefix)
        case .live("settings"): .words(point.operands.first.map(settingKeys) ?? [], after: prefix)
        case .live: .words(sessionNames, after: prefix)
        case .commands:
            .candidates(
                words(after: point.operands.joined(separator: " ")) + (point.operands.isEmpty ? HelpTopics.rows : []))
        }
    }

    private func options(_ point: CompletionPoint) -> [HelpRow] {
        point.options.flatMap { option in
            let text = isBash ? "" : option.shortHelp
            return (option.short.map { [HelpRow("-\($0)", text)] } ?? []) + [HelpRow(option.spelling, text)]
        }
    }

    /// The words that can follow `path` in the names of commands.
    private func words(after path: String) -> [HelpRow] {
        let start = path.isEmpty ? "" : "\(path) "
        var groups = CommandRegistry.groupSummaries
        return CommandRegistry.all.compactMap { command in
            guard command.name.hasPrefix(start) else { return nil }
            let word = command.name.dropFirst(start.count)
            if let space = word.firstIndex(of: " ") {
                return groups.firstIndex { $0.term == word[..<space] }.map { groups.remove(at: $0) }
            }
            return HelpRow(String(word), command.summary)
        }
    }

    /// The keys of `profile set` for the profile's backend.
    private func settingKeys(of name: String) -> [String] {
        guard let profile = configuration[name] ?? (name == Profile.defaultName ? .builtIn : nil) else { return [] }
        let backends = world.backends().descriptors
        let word = profile.text(.backend)
        guard let backend = word.map({ backends.meant(by: $0) }) ?? backends.first else { return [] }
        let own = backend.settings.flatMap { setting in
            setting.isPerProvider ? IdentityProvider.known.map { "\(setting.word).\($0.name)" } : [setting.word]
        }
        return ProfileKey.words(for: backend) + own
    }

    /// The session names of the profile and connection that the words of a command line select.
    private var sessionNames: [String] {
        var globals = GlobalOptions.spec.parseLeniently(line)
        // Ignore the session name, because the user is still typing it.
        globals.sessionName = ""
        let resolver = SettingsResolver(
            options: SettingsResolver.Options(globals), environment: world.environment,
            backends: world.backends().descriptors)
        // `try?`: without a valid profile, there are no session names.
        guard let settings = try? resolver.settings(in: configuration),
            let names = try? world.sessions({ _ in }).names(of: settings.profile.value, settings.connection)
        else { return [] }
        return names
    }

    /// `try?`: if the configuration cannot be read, only the built-in profile is available.
    private var configuration: Configuration { (try? world.configuration({ _ in }).load()) ?? Configuration() }
}

extension ValueCompletion {
    static let profiles = live("profiles")
    /// The setting keys of the profile whose name precedes the key.
    static let profileSettings = live("settings")
    /// The session names of the profile and connection that the command line selects.
    static let sessionNames = live("session names")
}
