extension Argument {
    /// An option whose value is one of some words; `value` is its placeholder if listing them there is too long.
    package static func choice(
        _ field: Field<String?>, _ name: String, short: Character? = nil, choices: [String], value: String? = nil,
        default: String? = nil, help: String, environment: [String] = []
    ) -> Argument {
        let description = ArgumentDescription(
            kind: .option(value: value), name: name, short: short, help: help,
            choices: choices, defaultText: `default`, environment: environment)
        return Argument(description) { word, options throws(ArgumentValueError) in
            guard choices.contains(word) else { throw .notOne(of: choices, word) }
            options[keyPath: field] = word
        }
    }

    /// An option whose value is a case of an enumeration, always one of them.
    package static func choice<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _ field: Field<Value>, _ name: String, short: Character? = nil, value: String? = nil,
        default: String? = nil, help: String, environment: [String] = []
    ) -> Argument {
        enumeration(
            Value.self, name, short: short, value: value, default: `default`, help: help, environment: environment
        ) { $1[keyPath: field] = $0 }
    }

    /// An option whose value is a case of an enumeration, or nil when it was not given.
    package static func choice<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _ field: Field<Value?>, _ name: String, short: Character? = nil, value: String? = nil,
        default: String? = nil, help: String, environment: [String] = []
    ) -> Argument {
        enumeration(
            Value.self, name, short: short, value: value, default: `default`, help: help, environment: environment
        ) { $1[keyPath: field] = $0 }
    }

    private static func enumeration<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _: Value.Type, _ name: String, short: Character?, value: String?, default: String?, help: String,
        environment: [String], set: @escaping @Sendable (Value, inout Options) -> Void
    ) -> Argument {
        let choices = Value.allCases.map(\.rawValue)
        let description = ArgumentDescription(
            kind: .option(value: value), name: name, short: short, help: help,
            choices: choices, defaultText: `default`, environment: environment)
        return Argument(description) { word, options throws(ArgumentValueError) in
            guard let chosen = Value(rawValue: word) else { throw .notOne(of: choices, word) }
            set(chosen, &options)
        }
    }
}

extension ArgumentValueError {
    fileprivate static func notOne(of choices: [String], _ word: String) -> ArgumentValueError {
        ArgumentValueError("'\(word)' is not one of \(choices.joined(separator: ", "))")
    }
}
