/// Who the output is for.
package enum OutputFormat: String, CaseIterable, Sendable {
    case text, json
}
