import AuthClient
import AuthModel
import Platform

/// A file that receives the result of `check`.
struct CheckReportFile: Sendable {
    enum Kind: String, CaseIterable {
        case junit, sarif, markdown, html

        /// The text with which each report of this kind begins, so that no other file is replaced.
        var beginning: String {
            switch self {
            case .junit: JUnitReport.beginning
            case .sarif: SARIFReport.beginning
            case .markdown: MarkdownReport.beginning
            case .html: HTMLReport.beginning
            }
        }

        func text(_ findings: CheckFindings) -> String {
            switch self {
            case .junit: JUnitReport.text(findings)
            case .sarif: SARIFReport.text(findings)
            case .markdown: MarkdownReport.text(findings)
            case .html: HTMLReport.text(findings)
            }
        }
    }

    private let kind: Kind
    private let path: String

    /// Reads the options `--report KIND=FILE`, and checks that the files can be written.
    static func files(_ options: [String], _ context: Context) throws(AuthError) -> [CheckReportFile] {
        var (files, places): ([CheckReportFile], [FileLocation]) = ([], [])
        for option in options {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), !parts[1].isEmpty, parts[1] != "-"
            else {
                let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw AuthError(
                    .usage, "'\(option)' is not KIND=FILE (option '--report')", next: "KIND is one of \(kinds)")
            }
            let file = CheckReportFile(kind: kind, path: String(parts[1]))
            let place = try context.requireReplaceable(
                file.path, beginning: kind.beginning, "report of the kind '\(kind)'")
            guard !places.contains(where: { $0.isSameFile(as: place) }) else {
                throw AuthError(
                    .usage, "two reports have the file '\(file.path)'", next: "write each report to a file of its own")
            }
            places.append(place)
            files.append(file)
        }
        return files
    }

    func write(_ findings: CheckFindings, _ context: Context) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            try context.world.writeFile(path, Array(kind.text(findings).utf8), context.warn)
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
            place = try FileLocation(path: path, FolderRules(examinesFolder: false, warn: warn))
        } catch {
            throw AuthError(.usage, error.message)
        }
        let fault = try mappingFileErrors { () throws(FileError) in
            try place.faultOfExistingFile(beginning: Array(beginning.utf8))
        }
        guard let fault else { return place }
        throw AuthError(
            .usage,
            "'\(path)' exists and is \(fault == .notRegular ? "a link or not a regular file" : "not a \(kind)")",
            next: "use another file, or move it away")
    }
}
