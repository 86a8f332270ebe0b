/// A rule for options that exclude or require each other. "Given" means present on the command line.
///
/// Options are named without dashes. Operands are named by their placeholder.
package enum OptionRule: Sendable, Equatable {
    /// Options of the same group may be combined, but not with options of another group.
    case exclusive(groups: [[String]])
    /// Each option requires an option in `oneOf`. If `with` is not empty, the rule applies only if an option in `with`
    /// is also given.
    case requires([String], oneOf: [String], with: [String] = [])

    package static func exclusive(_ names: String...) -> OptionRule { .exclusive(groups: names.map { [$0] }) }

    /// The names that cannot be combined with `name`.
    package func excluded(by name: String) -> [String] {
        guard case .exclusive(let groups) = self, groups.joined().contains(name) else { return [] }
        return groups.filter { !$0.contains(name) }.flatMap(\.self)
    }

    /// The associated values `oneOf` and `with` of `requires`; `nil` if the rule has no requirement for `name`.
    package func required(by name: String) -> (oneOf: [String], with: [String])? {
        guard case .requires(let names, let others, let with) = self, names.contains(name) else { return nil }
        return (others, with)
    }

    /// The rule as a sentence: "`--force` requires `--unlink`."
    func sentence(_ known: [ArgumentDescription]) -> String {
        func list(_ names: [String], last separator: String) -> String {
            let words = known.named(names).map { "`\($0.spelling)`" }
            return words.dropLast(2).map { "\($0), " }.joined() + words.suffix(2).joined(separator: separator)
        }
        switch self {
        case .exclusive(let groups):
            let hasGroup = groups.contains { $0.count > 1 }
            if hasGroup, groups.count == 2 {
                return "\(list(groups[0], last: " and ")) cannot be combined with \(list(groups[1], last: " or "))."
            }
            let noun = hasGroup ? " groups" : ""
            return "Mutually exclusive\(noun): \(groups.map { list($0, last: ", ") }.joined(separator: " | "))."
        case .requires(let options, let others, let with):
            let condition = with.isEmpty ? "" : "With \(list(with, last: " or ")): "
            let verb = options.count == 1 ? "requires" : "require"
            return "\(condition)\(list(options, last: " and ")) \(verb) \(list(others, last: " or "))."
        }
    }

    /// - Parameter given: the names on the command line.
    func check(_ given: [String], _ known: [ArgumentDescription]) throws(CommandLineError) {
        func firstGiven(_ names: [String]) -> ArgumentDescription? { known.named(names.filter(given.contains)).first }
        switch self {
        case .exclusive(let groups):
            let found = groups.compactMap(firstGiven).prefix(2)
            guard found.count > 1 else { return }
            let (kind, list) = (found.allSatisfy(\.isOption) ? "options " : "", found.map(\.spelling))
            throw CommandLineError(
                "\(kind)\(list.joined(separator: " and ")) are mutually exclusive", hints: ["use one of them"])
        case .requires(let options, let others, let with):
            let other = firstGiven(with)
            guard let option = firstGiven(options), firstGiven(others) == nil, with.isEmpty || other != nil else {
                return
            }
            let missing = known.named(others)
            let removal = other == nil ? "" : "remove \(option.spelling), or "
            let terms = missing.map { $0.isRemainder ? "-- \($0.name)" : $0.term }
            throw CommandLineError(
                "option \(option.spelling)\(other.map { " with \($0.spelling)" } ?? "") requires "
                    + missing.map(\.spelling).joined(separator: " or "),
                hints: ["\(removal)add \(terms.joined(separator: " or "))"])
        }
    }
}

extension [ArgumentDescription] {
    func named(_ names: [String]) -> [ArgumentDescription] {
        names.compactMap { name in first { $0.name == name } }
    }
}
