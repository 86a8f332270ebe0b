import AuthClient
import AuthModel
import JSON
import Platform

/// What happened: a table for users; for scripts, a line for each request and a summary.
struct CheckReport: CommandOutput {
    /// The error that ended the run early.
    var ending: AuthError?
    private let table: CheckTable
    private let options: CheckCommand.Options
    private let context: Context
    /// The number of requests in the table.
    private let requests: Int
    private var cells: [RunChecks.Cell] = []
    private var lastProgress = Duration.zero

    init(_ table: CheckTable, _ options: CheckCommand.Options, _ context: Context) {
        (self.table, self.options, self.context) = (table, options, context)
        requests = table.rows.reduce(0) { $0 + $1.expected.count { $0 != .notSent } }
    }

    private var isPreview: Bool { options.isDryRun }

    private func row(_ cell: RunChecks.Cell) -> CheckTable.Row { table.rows[cell.row] }
    private func expected(_ cell: RunChecks.Cell) -> CheckExpectation { row(cell).expected[cell.column] }
    private func meets(_ cell: RunChecks.Cell) -> Bool? { cell.outcome?.meets(expected(cell)) }
    /// What happened; `nil` if it is not known. The names of members are from the server.
    private func actual(_ cell: RunChecks.Cell) -> String? {
        guard let actual = cell.outcome?.actual(expected(cell)) else { return nil }
        return cell.outcome?.hasExcess == true ? context.world.masker.mask(actual) : actual
    }

    private var differences: Int { cells.count { meets($0) == false } }
    private var unknown: Int { isPreview ? 0 : cells.count { $0.outcome == nil } }

    mutating func add(_ cell: RunChecks.Cell) throws(AuthError) {
        cells.append(cell)
        if context.printer.format == .json {
            try context.printer.announce(JSONLine(json: json(cell)))
        }
        guard case let now = context.world.uptime(), now - lastProgress > .milliseconds(200) else { return }
        lastProgress = now
        context.events.progressed("checking: \(cells.count) of \(requests)")
    }

    /// Writes the reports, and prints the warnings and the result.
    func finish(signal: Int32? = nil, _ files: [CheckReportFile] = []) throws(AuthError) -> PrintedOutput {
        for warning in table.warnings { context.events.warn(warning) }
        let unwritten = write(files, signal: signal)
        let count = unknown == 1 ? "one outcome is" : "\(unknown) outcomes are"
        let failure = ending ?? cells.lazy.compactMap(\.error).first?.explaining("\(count) not known")
        // Differences decide the exit code. The text also shows why other outcomes are not known.
        let isSaid = ending != nil || context.printer.format == .json
        if let failure, differences > 0 && isSaid || unwritten != nil {
            context.events.warn(failure.message, next: failure.nextSteps.first)
        }
        if let unwritten, differences > 0 || signal != nil { context.events.warn(unwritten.message) }
        try context.printer.announce(self)
        if let signal { return PrintedOutput(ownExitCode: 128 + signal) }
        if differences == 0, let error = unwritten ?? failure { return PrintedOutput(error: error) }
        let isPartial = differences > 0 || options.isStrict && !isPreview && !table.warnings.isEmpty
        return PrintedOutput(ownExitCode: isPartial ? Outcome.partial.exitCode : 0)
    }

    /// Writes all reports that can be written.
    ///
    /// - Returns: the error of the first one that cannot; the others are warned of.
    func write(_ files: [CheckReportFile], signal: Int32? = nil) -> AuthError? {
        guard !files.isEmpty else { return nil }
        let findings = findings(isInterrupted: signal != nil)
        var first: AuthError?
        for file in files {
            do throws(AuthError) {
                try file.write(findings, context)
            } catch {
                if first == nil { first = error } else { context.events.warn(error.message) }
            }
        }
        return first
    }

    private func findings(isInterrupted: Bool) -> CheckFindings {
        let mask = context.world.masker.mask
        let ending = ending.map { mask($0.message) } ?? (isInterrupted ? "interrupted" : nil)
        var sent = table.rows.map { $0.expected.map { _ in RunChecks.Cell?.none } }
        for cell in cells { sent[cell.row][cell.column] = cell }
        let rows = zip(table.rows, sent).map { row, sent in
            let shown = CheckFindings.Row(line: row.line, request: mask("\(row.method.rawValue) \(row.typedPath)"))
            let cells = zip(table.users, zip(row.expected, sent)).map { user, cell -> CheckFindings.Cell? in
                let (expected, sent) = cell
                let message = sent.map { mask(sentence($0, shown.request)) }
                return expected == .notSent
                    ? nil
                    : CheckFindings.Cell(
                        state: sent.map { meets($0).map { $0 ? .asExpected : .differs } ?? .unknown } ?? .notSent,
                        row: shown, user: user, expected: expected.word, actual: sent.flatMap(actual),
                        message: message ?? "not sent" + (ending.map { ": \($0)" } ?? ""))
            }
            return (row: shown, cells: cells)
        }
        return CheckFindings(
            table: options.file == "-" ? "standard input" : options.file, uri: options.file.relativeURI,
            users: table.users, summary: summary(CheckFindings.State.differs.rawValue), rows: rows,
            time: context.world.clock.now(), ending: ending)
    }

    // MARK: - Text

    func text(_ style: TextStyle) -> String {
        if isPreview {
            return cells.map { "\(table.users[$0.column]): \(request($0)), expected \(expected($0).word)\n" }.joined()
        }
        var marks = table.rows.map { row in row.expected.map { $0 == .notSent ? "-" : "" } }
        for cell in cells {
            let actual = actual(cell) ?? "?"
            marks[cell.row][cell.column] = meets(cell) == false ? "!\(actual)" : actual
        }
        var shown = Table(["request"] + table.users)
        for (row, marks) in zip(table.rows, marks) { shown.add([row.text] + marks) }
        let faults = cells.filter { meets($0) != true }.map { "\(sentence($0, request($0)))\n" }.joined()
        return shown.text(style, width: context.tableWidth, shrinking: [0]) + faults + summary("!") + "\n"
    }

    private func request(_ cell: RunChecks.Cell) -> String { "\(row(cell).method.rawValue) \(cell.path)".shown }

    /// What happened to a request, such as `bob may PUT /notes/1, expected no`.
    private func sentence(_ cell: RunChecks.Cell, _ request: String) -> String {
        let user = table.users[cell.column]
        guard let actual = actual(cell) else {
            return "not known whether \(user) may \(request): \((cell.error?.message ?? "").shown)"
        }
        let verb = cell.outcome?.hasExcess == true ? nil : ["yes": "may", "no": "may not"][actual]
        return "\(user) \(verb ?? "gets \(actual.shown) for") \(request), expected \(expected(cell).word)"
    }

    /// - Parameter mark: the mark of cells that differ.
    private func summary(_ mark: String) -> String {
        let left = requests - cells.count
        return "\(requests) request\(requests == 1 ? "" : "s"): \(cells.count - differences - unknown) as expected"
            + (differences == 0 ? "" : ", \(differences) differ\(differences == 1 ? "s" : "") (\(mark))")
            + (unknown == 0 ? "" : ", \(unknown) not known (?)") + (left == 0 ? "" : ", \(left) not sent")
    }

    // MARK: - JSON

    var json: JSONValue {
        let sent = isPreview ? 0 : cells.count
        return [
            "v": 1, "kind": "check.summary", "cells": JSONValue(sent), "failed": JSONValue(differences),
            "unknown": JSONValue(unknown), "notSent": JSONValue(table.rows.count * table.users.count - sent),
            "warnings": [],
        ]
    }

    private func json(_ cell: RunChecks.Cell) -> JSONValue {
        let (row, user, expected) = (row(cell), table.users[cell.column], expected(cell))
        return [
            "v": 1, "kind": "check.cell", "row": JSONValue(cell.row + 1), "method": .string(row.method.rawValue),
            "path": .string(cell.path), "user": user == CheckTable.anyone ? .null : .string(user),
            "expected": .string(expected.word), "actual": JSONValue(actual(cell)),
            "status": JSONValue(cell.outcome?.status ?? cell.error?.server?.status) { JSONValue($0) },
            "items": JSONValue(cell.outcome?.items) { JSONValue($0) },
            "ok": JSONValue(cell.outcome) { .bool($0.meets(expected)) },
        ]
    }
}

extension String {
    /// The path of a file as a URI reference relative to the working folder; `nil` for `-`, standard input.
    fileprivate var relativeURI: String? {
        // `try?`: a path that names no file has no URI.
        guard self != "-", let place = try? FileLocation(path: self), let folder = place.folder.path.resolvedLinks,
            let current = ".".resolvedLinks
        else { return nil }
        let (from, path) = (current.split(separator: "/"), folder.split(separator: "/") + [place.name[...]])
        let common = zip(from, path).prefix { $0 == $1 }.count
        let parts = from.dropFirst(common).map { _ in ".." } + path.dropFirst(common).map(\.percentEncoded)
        return parts.joined(separator: "/")
    }
}
