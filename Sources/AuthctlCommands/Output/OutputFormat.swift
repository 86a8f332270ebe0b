/// Who the output is for.
enum OutputFormat: String, CaseIterable, Sendable {
    case text, json
}
