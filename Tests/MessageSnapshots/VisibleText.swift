extension String {
    /// The text in double quotes, on one line, with control and non-ASCII characters as `\u{...}`.
    package var visible: String {
        let scalars = unicodeScalars.map { scalar in
            (0x20...0x7E).contains(scalar.value) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return "\"\(scalars.joined())\""
    }
}
