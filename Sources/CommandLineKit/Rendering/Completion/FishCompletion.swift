/// The completion script for fish 3.1 and later.
///
/// Each candidate has a condition on the place in the command line; fish evaluates each condition once.
package struct FishCompletion: Sendable {
    private let tree: CompletionTree

    package init(_ tree: CompletionTree) {
        self.tree = tree
    }

    /// The script, with a trailing newline.
    package var script: String {
        let name = tree.program
        let lines =
            ["# Completes \(name) in fish; made by '\(name) completion fish'.", ""] + [functions]
            + ["complete -c \(name) -f", "", "# What can be given everywhere."]
            + tree.options.map { option(nil, $0) } + tree.places.flatMap(place)
        return lines.joined(separator: "\n") + "\n"
    }

    private func place(_ place: CompletionTree.Place) -> [String] {
        let words = place.words.map { row in
            "\(complete(place.path, operand: "0")) -a \(quoted(row.term)) -d \(quoted(row.text))"
        }
        let operands = place.operands.enumerated().compactMap { index, operand -> String? in
            guard let candidates = candidates(operand.completion) else { return nil }
            let number = if case .operand(_, isList: false) = operand.kind { "\(index)" } else { "\(index)+" }
            let condition = operand.kind == .remainder ? "--" : number
            return "\(complete(place.path, operand: condition)) \(candidates)"
        }
        let lines = words + place.options.map { option(place.path, $0) } + operands
        let title = place.path.isEmpty ? "# Before the command." : "# \(tree.program) \(place.path)"
        return lines.isEmpty ? [] : ["", title] + lines
    }

    private func option(_ path: String?, _ option: ArgumentDescription) -> String {
        let start = path.map { complete($0) } ?? "complete -c \(tree.program)"
        let letter = option.short.map { " -s \($0)" } ?? ""
        let value = option.takesValue ? " \(candidates(option.completion) ?? "-x")" : ""
        return "\(start)\(letter) -l \(option.name)\(value) -d \(quoted(option.shortHelp))"
    }

    private func candidates(_ completion: ValueCompletion) -> String? {
        switch completion {
        case .nothing, .commands: nil
        case .files: "-r -F"
        case .folders: "-x -a '(__fish_complete_directories)'"
        case .words(let list): "-x -a \(quoted(list.words.joined(separator: " ")))"
        case .live(let list): "-x -a '(__\(tree.program)_live \(list))'"
        case .commandLine: "-x -a '(__\(tree.program)_command)'"
        }
    }

    private func complete(_ path: String, operand: String? = nil) -> String {
        let condition = "__\(tree.program)_at \(path.isEmpty ? "\"\"" : "\"\(path)\"")\(operand.map { " \($0)" } ?? "")"
        return "complete -c \(tree.program) -n \(quoted(condition))"
    }

    /// Single quotes in fish have two escapes: the quote and the backslash.
    private func quoted(_ text: String) -> String {
        let plain = String(text.unicodeScalars.filter { $0 != "`" }.map(Character.init))
        return "'\(CompletionTree.escaped(plain, "'\\"))'"
    }

    private var functions: String {
        let (name, places) = (tree.program, tree.places.map(\.path).filter { !$0.isEmpty })
        let all = tree.options + tree.places.flatMap(\.options)
        let takers = all.filter(\.takesValue)
        let long = takers.map(\.spelling).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let letters = String(takers.compactMap(\.short))
        return """
            # Where the cursor is: the words that lead there, how many operands follow, whether "--" stands before it.
            function __\(name)_place
                set -l places \(places.map(quoted).joined(separator: " "))
                set -l takers \(long.joined(separator: " "))
                set -l words (commandline -opc)
                set -e words[1]
                set -l place ''
                set -l operands 0
                set -l dashes
                while set -q words[1]
                    set -l word $words[1]
                    set -e words[1]
                    if set -q dashes[1]
                        set operands (math $operands + 1)
                    else if test "$word" = --
                        set dashes --
                    else if string match -q -- '-?*' $word
                        if contains -- $word $takers; or string match -qr -- '^-[^-\(letters)]*[\(letters)]$' $word
                            set -q words[1]; and set -e words[1]
                        end
                    else if test $operands = 0; and contains -- (string trim -- "$place $word") $places
                        set place (string trim -- "$place $word")
                    else
                        set operands (math $operands + 1)
                    end
                end
                printf '%s\\n' "$place" $operands $dashes
            end

            # Whether the cursor is at a place: there at an operand by number, from one on, or anywhere behind "--".
            function __\(name)_at
                set -l here (__\(name)_place)
                test "$here[1]" = "$argv[1]"; or return 1
                switch "$argv[2]"
                    case ''
                        return 0
                    case --
                        set -q here[3]
                    case '*+'
                        test $here[2] -ge (string trim -rc + -- $argv[2])
                    case '*'
                        test $here[2] = $argv[2]
                end
            end

            # Names that the program lists itself.
            function __\(name)_live
                command -q \(name); and command \(name) \(tree.lister) $argv </dev/null 2>/dev/null
            end

            # Another program behind "--": its name, then its arguments, as it has them completed itself.
            function __\(name)_command
                set -l words (commandline -opc)
                while set -q words[1]; and test "$words[1]" != --
                    set -e words[1]
                end
                set -e words[1]
                complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
            end

            """
    }
}
