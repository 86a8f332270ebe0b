/// The completion script for zsh: a file `_program` in the `fpath`, or sourced.
///
/// Each place in a command line becomes a function that calls `_arguments`.
package struct ZshCompletion: Sendable {
    private typealias Place = CompletionTree.Place

    private let tree: CompletionTree

    package init(_ tree: CompletionTree) {
        self.tree = tree
    }

    /// The script, with a trailing newline.
    package var script: String {
        let name = tree.program
        let opening = [
            "#compdef \(name)", "# Completes \(name) in zsh; made by '\(name) completion zsh'.", "",
            "# What can be given everywhere.",
            "typeset -ga _\(name)_everywhere=(",
        ]
        let shared = tree.options.flatMap(specs).map { "    \($0)" } + [")", ""]
        let functions = tree.places.flatMap(function)
        let closing = [
            "# Names that the program lists itself: the last argument says which.",
            "_\(name)_live() {",
            "    local -a names",
            "    names=(${(f)\"$(command \(name) \(tree.lister) ${@[-1]} </dev/null 2>/dev/null)\"})",
            "    compadd \"${@[1,-2]}\" -a names",
            "}", "",
            "# Another program; _arguments leaves the two dashes before it in some cases.",
            "_\(name)_command() {",
            "    [[ $words[1] == -- ]] && shift words && ((CURRENT--))",
            "    _normal",
            "}", "",
            "if [[ $funcstack[1] == _\(name) ]]; then",
            "    _\(name)_at \"$@\"",
            "else",
            "    compdef _\(name)_at \(name)",
            "fi", "",
        ]
        return (opening + shared + functions + closing).joined(separator: "\n")
    }

    private func function(_ place: Place) -> [String] {
        let specs = place.options.flatMap(specs)
        let body =
            place.words.isEmpty
            ? arguments("_arguments -s -S", specs + operands(place)) : branches(place, specs)
        return ["\(functionName(place.path))() {"] + body.map { "    \($0)" } + ["}", ""]
    }

    /// Completes the next word, then calls the function of the place after it.
    private func branches(_ place: Place, _ specs: [String]) -> [String] {
        let words = place.words.map { row in
            let text = CompletionTree.escaped(Self.plain(row.text), ":\\")
            return "        \(CompletionTree.quoted("\(CompletionTree.escaped(row.term, ":\\")):\(text)"))"
        }
        let known = tree.places.map(\.path)
        let onward = place.words.map(\.term).filter { known.contains(path(place.path, $0)) }
        let cases = onward.map { word in
            "                \(word)) \(functionName(path(place.path, word))) && result=0 ;;"
        }
        return ["local curcontext=$curcontext state result=1", "local -a line words_here"]
            + arguments("_arguments -C -s -S", specs + ["'1: :->word'", "'*:: :->more'"], ending: " && result=0")
            + ["case $state in", "    word)", "        words_here=("] + words.map { "    \($0)" }
            + ["        )", "        _describe -t commands command words_here && result=0", "        ;;"]
            + ["    more)", "        case $line[1] in"] + cases.map { String($0.dropFirst(4)) }
            + ["        esac", "        ;;", "esac", "return result"]
    }

    private func arguments(_ command: String, _ specs: [String], ending: String = "") -> [String] {
        let lines = ["\(command) $_\(tree.program)_everywhere"] + specs.map { "    \($0)" }
        return lines.dropLast().map { "\($0) \\" } + [lines[lines.count - 1] + ending]
    }

    private func operands(_ place: Place) -> [String] {
        place.operands.map { operand in
            let message = CompletionTree.escaped(operand.name, ":\\")
            let action = action(operand.completion)
            return switch operand.kind {
            case .operand(_, isList: true): CompletionTree.quoted("*:\(message):\(action)")
            case .remainder: CompletionTree.quoted("*::\(message):\(action)")
            default: CompletionTree.quoted("1:\(message):\(action)")
            }
        }.enumerated().map { index, spec in
            spec.hasPrefix("'1:") ? "'\(index + 1):\(spec.dropFirst(3))" : spec
        }
    }

    /// One spec for each spelling; the spellings of one option exclude each other.
    private func specs(_ option: ArgumentDescription) -> [String] {
        let value = option.takesValue ? ":\(message(option)):\(action(option.completion))" : ""
        let text = "[\(CompletionTree.escaped(option.shortHelp, "[]\\"))]\(value)"
        let excluded = (option.short.map { "-\($0) " } ?? "") + option.spelling
        let exclusion = option.isRepeatable ? "*" : option == .help || option == .version ? "(- *)" : "(\(excluded))"
        let letters = option.short.map { ["-\($0)\(option.takesValue ? "+" : "")"] } ?? []
        return (letters + [option.spelling + (option.takesValue ? "=" : "")]).map { spelling in
            CompletionTree.quoted(exclusion + spelling + text)
        }
    }

    private func message(_ option: ArgumentDescription) -> String {
        CompletionTree.escaped(option.placeholder ?? option.name, ":\\")
    }

    private func action(_ completion: ValueCompletion) -> String {
        switch completion {
        case .nothing, .commands: " "
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let list): "(\(list.words.joined(separator: " ")))"
        case .live(let list): "_\(tree.program)_live \(list)"
        case .commandLine: "_\(tree.program)_command"
        }
    }

    private func functionName(_ path: String) -> String {
        let words = path.split(separator: " " as Character).map { "_\($0)" }.joined()
        return "_\(tree.program)_at\(words)"
    }

    private func path(_ path: String, _ word: String) -> String { path.isEmpty ? word : "\(path) \(word)" }

    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0 != "`" }.map(Character.init))
    }
}
