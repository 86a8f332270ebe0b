/// An argument: its description, and the field of `Options` that it sets.
///
/// The field is a closure, such as `{ $0.port = $1 }`, because key paths for all arguments would increase the start
/// time of authctl by half.
package struct Argument<Options>: Sendable {
    package typealias Field<Value> = @Sendable (inout Options, Value) -> Void
    typealias Setter = @Sendable (_ value: String, inout Options) throws(ArgumentValueError) -> Void

    package let description: ArgumentDescription
    private let set: Setter

    init(_ description: ArgumentDescription, set: @escaping Setter) {
        self.description = description
        self.set = set
    }

    /// Returns a copy with this shell completion.
    package func completed(by completion: ValueCompletion) -> Argument {
        var description = description
        description.ownCompletion = completion
        return Argument(description, set: set)
    }

    /// Returns a copy with a help sentence that is computed when help is shown.
    package func explained(by help: @autoclosure @escaping @Sendable () -> String) -> Argument {
        var description = description
        description.longHelp = help
        return Argument(description, set: set)
    }

    /// Sets the field to the value; a flag ignores the value.
    func assign(_ assignment: CommandLineScanner.Assignment, to options: inout Options) throws(CommandLineError) {
        do throws(ArgumentValueError) {
            if assignment.value.isEmpty, description.placeholder == "FILE" || description.placeholder == "FOLDER" {
                throw ArgumentValueError("the path is empty")
            }
            // Invalid UTF-8 was replaced by U+FFFD. Only another program's arguments can be passed on unchanged.
            if !description.isRemainder, assignment.value.unicodeScalars.contains("\u{FFFD}") {
                throw ArgumentValueError("the value is not UTF-8")
            }
            let choices = description.choices
            guard choices.isEmpty || choices.contains(assignment.value) else {
                throw ArgumentValueError("'\(assignment.value)' is not one of \(choices.joined(separator: ", "))")
            }
            try set(assignment.value, &options)
        } catch {
            let kind = description.isOption ? "option" : "argument"
            throw CommandLineError("\(error.message) (\(kind) '\(description.spelling)')")
        }
    }
}

/// The reason why a value is invalid: "'soon' is not a number of seconds".
///
/// The parser adds the argument's name to the message.
package struct ArgumentValueError: Error, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

extension Argument {
    /// - Parameter choices: the accepted values; empty for any value.
    package static func positional(
        _ field: @escaping Field<String>, _ name: String, choices: [String] = [], help: String
    ) -> Argument {
        operand(field, name, .operand(atLeast: 1, isList: false), help, choices: choices)
    }

    package static func optionalPositional(
        _ field: @escaping Field<String>, _ name: String, help: String
    ) -> Argument {
        operand(field, name, .operand(atLeast: 0, isList: false), help)
    }

    /// An argument for all remaining operands. The field receives the operands one by one.
    package static func positionals(
        _ field: @escaping Field<String>, _ name: String, atLeast minimum: Int = 0, help: String
    ) -> Argument {
        operand(field, name, .operand(atLeast: minimum, isList: true), help)
    }

    /// An argument for all words after `--`, unparsed. At least one word is required. The field receives the words one
    /// by one.
    package static func remainder(_ field: @escaping Field<String>, _ name: String, help: String) -> Argument {
        operand(field, name, .remainder(isRequired: true), help)
    }

    /// Like `remainder`, but both the `--` and the words may be omitted. After a `--`, at least one word is required.
    package static func optionalRemainder(_ field: @escaping Field<String>, _ name: String, help: String) -> Argument {
        operand(field, name, .remainder(isRequired: false), help)
    }

    private static func operand(
        _ field: @escaping Field<String>, _ name: String, _ kind: ArgumentDescription.Kind, _ help: String,
        choices: [String] = []
    ) -> Argument {
        Argument(ArgumentDescription(kind: kind, name: name, fixedHelp: help, choices: choices)) { field(&$1, $0) }
    }
}
