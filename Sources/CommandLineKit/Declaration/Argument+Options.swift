extension Argument {
    package static func flag(
        _ field: @escaping Field<Bool>, _ name: String, short: Character? = nil, help: String,
        environment: [String] = []
    ) -> Argument {
        flag(field, name, short: short, sets: true, help: help, environment: environment)
    }

    /// A flag that sets its field to a fixed value: `--json` for `--output json`, `--no-input` for `false`.
    package static func flag<Value: Sendable>(
        _ field: @escaping Field<Value>, _ name: String, short: Character? = nil, sets value: Value, help: String,
        environment: [String] = []
    ) -> Argument {
        let description = ArgumentDescription(
            kind: .flag, name: name, short: short, fixedHelp: help, environment: environment)
        return Argument(description) { field(&$1, value) }
    }

    package static func option(
        _ field: @escaping Field<String>, _ name: String, short: Character? = nil, value: String,
        default: String? = nil,
        help: String, environment: [String] = []
    ) -> Argument {
        option(
            field, name, short: short, value: value, default: `default`, help: help, environment: environment,
            parse: { $0 })
    }

    /// An option whose value `parse` checks and converts.
    package static func option<Value>(
        _ field: @escaping Field<Value>, _ name: String, short: Character? = nil, value: String, default: String? = nil,
        help: String, environment: [String] = [],
        parse: @escaping @Sendable (String) throws(ArgumentValueError) -> Value
    ) -> Argument {
        let description = ArgumentDescription(
            kind: .option(value: value), name: name, short: short, fixedHelp: help, defaultText: `default`,
            environment: environment)
        return Argument(description) { text, options throws(ArgumentValueError) in
            field(&options, try parse(text))
        }
    }

    /// An option whose value is one of `choices`.
    package static func choice(
        _ choices: [String], _ field: @escaping Field<String>, _ name: String, default: String? = nil, help: String,
        environment: [String] = []
    ) -> Argument {
        let description = ArgumentDescription(
            kind: .option(value: nil), name: name, fixedHelp: help, choices: choices, defaultText: `default`,
            environment: environment)
        return Argument(description) { field(&$1, $0) }
    }

    /// An option that may be repeated; the field receives the values one by one.
    package static func list(
        _ field: @escaping Field<String>, _ name: String, short: Character? = nil, value: String, help: String,
        environment: [String] = []
    ) -> Argument {
        let description = ArgumentDescription(
            kind: .option(value: value), name: name, short: short, fixedHelp: help, isRepeatable: true,
            environment: environment)
        return Argument(description) { field(&$1, $0) }
    }

    /// An option that is always rejected, such as `--password`. Help omits the option. The error has the advice as its
    /// hint, and never contains the value.
    package static func refused(_ name: String, short: Character? = nil, advice: String) -> Argument {
        Argument(ArgumentDescription(kind: .refused(advice: advice), name: name, short: short)) { _, _ in }
    }
}
