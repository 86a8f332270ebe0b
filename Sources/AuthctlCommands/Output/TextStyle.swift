import Platform

enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
}

/// The styles of text on one output stream.
struct TextStyle: Sendable, Equatable {
    let isColored: Bool

    init(isColored: Bool) {
        self.isColored = isColored
    }

    static let plain = TextStyle(isColored: false)

    /// `--color` overrides all variables. `NO_COLOR` takes precedence over `CLICOLOR_FORCE`. Otherwise the terminal
    /// decides.
    ///
    /// Source: no-color.org (any value but an empty one), bixense.com/clicolors.
    init(_ choice: ColorChoice?, _ environment: Environment, isTerminal: Bool) {
        switch choice {
        case .always: isColored = true
        case .never: isColored = false
        case .auto, nil:
            if environment["NO_COLOR"] != nil {
                isColored = false
            } else if environment.isOn("CLICOLOR_FORCE") {
                isColored = true
            } else {
                isColored = isTerminal && environment["TERM"] != "dumb" && environment["CLICOLOR"] != "0"
            }
        }
    }

    func strong(_ text: String) -> String { mark(text, "1") }
    func dim(_ text: String) -> String { mark(text, "2") }
    func failure(_ text: String) -> String { mark(text, "31") }
    func warning(_ text: String) -> String { mark(text, "33") }
    func good(_ text: String) -> String { mark(text, "32") }

    private func mark(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
