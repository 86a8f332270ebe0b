import LibC

/// The environment variables.
package struct Environment: Sendable {
    private let value: @Sendable (String) -> String?

    package init(value: @escaping @Sendable (String) -> String?) {
        self.value = value
    }

    /// The variables of this process, read at each access.
    package static let process = Environment { name in
        getenv(name).map { String(cString: $0) }
    }

    package static func fixed(_ values: [String: String]) -> Environment {
        Environment { values[$0] }
    }

    /// The value of a variable; `nil` if it is unset or empty.
    package subscript(name: String) -> String? {
        value(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of a variable, even an empty one: an empty secret is an error, not a missing secret.
    package func givenValue(_ name: String) -> String? { value(name) }

    /// Whether a switch is set to anything but `0` and `false`.
    package func isOn(_ name: String) -> Bool {
        self[name].map { $0 != "0" && $0 != "false" } ?? false
    }
}

/// Changes the environment of this process, for a command that inherits it.
///
/// - Parameter changes: variables to set, or to unset where the value is `nil`.
package func changeEnvironment(_ changes: [String: String?]) {
    for (name, value) in changes {
        if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
}
