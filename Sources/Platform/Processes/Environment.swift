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

    /// The value of a variable, even an empty one. Use this for secrets, because an empty secret must cause an error.
    package func givenValue(_ name: String) -> String? { value(name) }

    /// Whether the locale's character set is UTF-8. Source: POSIX, section 8.2, "Internationalization Variables".
    package var isUTF8: Bool {
        let locale = (self["LC_ALL"] ?? self["LC_CTYPE"] ?? self["LANG"] ?? "").uppercased()
        return locale.holds("UTF-8") || locale.holds("UTF8")
    }

    /// The mark of a text that continues or was cut: `…`, or `...` if the locale is not UTF-8.
    package var ellipsis: String { isUTF8 ? "…" : "..." }

    /// Whether a variable is set to a value other than `0` and `false`. An empty value counts as unset.
    package func isOn(_ name: String) -> Bool {
        self[name].map { $0 != "0" && $0 != "false" } ?? false
    }
}

/// Changes the environment of this process, for a command that inherits it.
///
/// - Parameter changes: the variables to set. A variable whose value is `nil` is unset.
package func changeEnvironment(_ changes: [String: String?]) {
    for (name, value) in changes {
        if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
}
