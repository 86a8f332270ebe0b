import AuthClient
import AuthModel
import Platform

/// A file that receives the result of `check`.
struct CheckReportFile: Sendable {
    /// The writer of each kind, and the text with which its reports begin, so that no other file is replaced.
    private static let kinds: KeyValuePairs<String, (text: @Sendable (CheckFindings) -> String, beginning: String)> = [
        "junit": (JUnitReport.text, JUnitReport.beginning), "sarif": (SARIFReport.text, SARIFReport.beginning),
        "markdown": (MarkdownReport.text, MarkdownReport.beginning), "html": (HTMLReport.text, HTMLReport.beginning),
    ]

    private let path: String
    private let text: @Sendable (CheckFindings) -> String

    /// Reads the options `--report KIND=FILE`, and checks that the files can be written.
    static func files(_ options: [String], _ context: Context) throws(AuthError) -> [CheckReportFile] {
        var (files, places): ([CheckReportFile], [FileLocation]) = ([], [])
        for option in options {
            let parts = option.split(separator: "=", maxSplits: 1).map { String($0) }
            guard parts.count == 2, let (name, kind) = kinds.first(where: { $0.key == parts[0] }), parts[1] != "-"
            else {
                throw AuthError(
                    .usage, "'\(option)' is not KIND=FILE (option '--report')",
                    next: "KIND is one of \(kinds.map(\.key).joined(separator: ", "))")
            }
            let place = try context.requireReplaceable(
                parts[1], beginning: kind.beginning, "report of the kind '\(name)'")
            guard !places.contains(where: { $0.isSameFile(as: place) }) else {
                throw AuthError(
                    .usage, "two reports have the file '\(parts[1])'", next: "write each report to a file of its own")
            }
            places.append(place)
            files.append(CheckReportFile(path: parts[1], text: kind.text))
        }
        return files
    }

    func write(_ findings: CheckFindings, _ context: Context) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            try context.world.writeFile(path, Array(text(findings).utf8), context.warn)
        }
    }
}

extension Context {
    /// Checks that a file can be created, or that it exists and begins like an earlier output of the same kind.
    ///
    /// - Parameter kind: what the file must be if it exists: `report of the kind 'html'`.
    /// - Throws: `AuthError` `usage` if another file has this name; else an error about the folder.
    @discardableResult
    func requireReplaceable(_ path: String, beginning: String, _ kind: String) throws(AuthError) -> FileLocation {
        let place: FileLocation
        do throws(FileError) {
            place = try FileLocation(path: path, FolderRules(trusting: .all, warn: warn))
        } catch {
            throw AuthError(.usage, error.message)
        }
        let isReplaceable = try mappingFileErrors { () throws(FileError) in
            try place.isReplaceable(beginning: Array(beginning.utf8))
        }
        guard !isReplaceable else { return place }
        throw AuthError(
            .usage, "'\(path)' exists and is a link or not a \(kind)", next: "use another file, or move it away")
    }
}
