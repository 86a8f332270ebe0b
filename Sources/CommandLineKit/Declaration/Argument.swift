/// One argument: its description, and the field of `Options` it sets.
///
/// The field is a closure, `{ $0.port = $1 }`: making a key path costs as much as half a start.
package struct Argument<Options>: Sendable {
    package typealias Field<Value> = @Sendable (inout Options, Value) -> Void
    typealias Setter = @Sendable (_ value: String, inout Options) throws(ArgumentValueError) -> Void

    package let description: ArgumentDescription
    private let set: Setter

    init(_ description: ArgumentDescription, set: @escaping Setter) {
        self.description = description
        self.set = set
    }

    /// The same argument, its value completed in this way by shells.
    package func completed(by completion: ValueCompletion) -> Argument {
        Argument(description.completed(by: completion), set: set)
    }

    /// The same argument, with a help sentence that is computed when help is shown.
    package func explained(by help: LazyHelp) -> Argument {
        Argument(description.explained(by: help), set: set)
    }

    /// Writes a word into the field; a flag ignores it.
    func assign(_ value: String, to options: inout Options) throws(CommandLineError) {
        do {
            try set(value, &options)
        } catch {
            let kind = description.isOption ? "option" : "argument"
            throw CommandLineError("\(error.message) (\(kind) '\(description.spelling)')")
        }
    }
}

/// Why a word is not a value of its argument: "'soon' is not a number of seconds".
///
/// The parser adds which argument it was.
package struct ArgumentValueError: Error, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

extension Argument {
    /// One word by its place; it may be missing.
    package static func optionalPositional(
        _ field: @escaping Field<String>, _ name: String, help: String
    ) -> Argument {
        Argument(ArgumentDescription(kind: .operand(atLeast: 0, isList: false), name: name, help: help)) {
            field(&$1, $0)
        }
    }

    /// One word by its place, required.
    package static func positional(_ field: @escaping Field<String>, _ name: String, help: String) -> Argument {
        Argument(ArgumentDescription(kind: .operand(atLeast: 1, isList: false), name: name, help: help)) {
            field(&$1, $0)
        }
    }

    /// All words that the operands before it left over, one after the other.
    package static func positionals(
        _ field: @escaping Field<String>, _ name: String, atLeast minimum: Int = 0, help: String
    ) -> Argument {
        Argument(ArgumentDescription(kind: .operand(atLeast: minimum, isList: true), name: name, help: help)) {
            field(&$1, $0)
        }
    }

    /// Everything after `--`, untouched, one word after the other; at least one.
    package static func remainder(_ field: @escaping Field<String>, _ name: String, help: String) -> Argument {
        Argument(ArgumentDescription(kind: .remainder, name: name, help: help)) {
            field(&$1, $0)
        }
    }
}
