import LibC

/// The environment variables.
package struct Environment: Sendable {
    private let value: @Sendable (String) -> String?

    package init(value: @escaping @Sendable (String) -> String?) {
        self.value = value
    }

    /// Those of the process, read when asked for.
    package static let process = Environment { name in
        getenv(name).map { String(cString: $0) }
    }

    package static func fixed(_ values: [String: String]) -> Environment {
        Environment { values[$0] }
    }

    /// A variable that is set to something; an empty one counts as not set.
    package subscript(name: String) -> String? {
        value(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A variable that is set, be it to nothing: a secret that came out empty must not pass for one not given.
    package func givenValue(_ name: String) -> String? { value(name) }

    /// Whether a switch is set: to anything but `0` and `false`.
    package func isOn(_ name: String) -> Bool {
        self[name].map { $0 != "0" && $0 != "false" } ?? false
    }
}
