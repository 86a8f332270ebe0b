extension Argument {
    /// An option whose value is a case of an enumeration. Set the placeholder `value` if the list of cases is too long
    /// to follow the option's name in help.
    package static func choice<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _: Value.Type, _ field: @escaping Field<Value>, _ name: String, short: Character? = nil,
        value: String? = nil, default: String? = nil, help: String, environment: [String] = []
    ) -> Argument where Value.AllCases == [Value] {
        // Not `\.rawValue`: in a generic function, the key path would be created each time the program starts.
        let choices = Value.allCases.map { $0.rawValue }
        let description = ArgumentDescription(
            kind: .option(value: value), name: name, short: short, help: help,
            choices: choices, defaultText: `default`, environment: environment)
        return Argument(description) { word, options throws(ArgumentValueError) in
            guard let chosen = Value(rawValue: word) else { throw .notOne(of: choices, word) }
            field(&options, chosen)
        }
    }

    /// A required operand whose value is a case of an enumeration.
    package static func positional<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _: Value.Type, _ field: @escaping Field<Value>, _ name: String, help: String
    ) -> Argument where Value.AllCases == [Value] {
        let choices = Value.allCases.map { $0.rawValue }
        let description = ArgumentDescription(
            kind: .operand(atLeast: 1, isList: false), name: name, help: help, choices: choices)
        return Argument(description) { word, options throws(ArgumentValueError) in
            guard let chosen = Value(rawValue: word) else { throw .notOne(of: choices, word) }
            field(&options, chosen)
        }
    }
}

extension ArgumentValueError {
    fileprivate static func notOne(of choices: [String], _ word: String) -> ArgumentValueError {
        ArgumentValueError("'\(word)' is not one of \(choices.joined(separator: ", "))")
    }
}
