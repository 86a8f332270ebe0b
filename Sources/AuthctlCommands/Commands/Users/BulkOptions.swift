import AuthClient
import AuthModel
import CommandLineKit
import Platform

/// The options that the bulk commands have in common: their files, and how fast they work.
struct BulkOptions: Sendable, Equatable {
    /// The paths of the files; the options have the names of the kinds.
    var files: [BulkFile: String] = [:]
    var keepsRefreshTokens = false
    var jobs = 4
    /// The minimum time between two rows; `nil` for the default of the command.
    var interval: Duration?

    /// - Throws: `AuthError` `usage` if no option names the file.
    func path(_ file: BulkFile, orSuggest step: NextStep) throws(AuthError) -> String {
        guard let path = files[file] else {
            throw AuthError(.usage, "missing option --\(file.rawValue) FILE", next: step)
        }
        return path
    }
}

protocol TakesBulkOptions: CommandOptions {
    var bulk: BulkOptions { get set }
}

/// Options about columns of a file that its target cannot keep.
protocol TakesLosses: CommandOptions {
    var losses: RowLosses.Choice { get set }
}

extension Array {
    /// The options `--drop` and `--skip`.
    static func losses<Options: TakesLosses>() -> [Element] where Element == Argument<Options> {
        [
            .list(
                { $0.losses.dropped.append($1) }, "drop", value: "NAME",
                help: "Leave out a column or fields.NAME."),
            .choice(
                ["disabled"], { options, _ in options.losses.skipsDisabled = true }, "skip",
                help: "Leave out the rows of disabled accounts."),
        ]
    }
}

extension Argument where Options: TakesBulkOptions {
    static func file(_ kind: BulkFile, help: String) -> Argument {
        .option({ $0.bulk.files[kind] = $1 }, kind.rawValue, value: "FILE", help: help)
    }

    static var refreshTokens: Argument {
        .flag(
            { $0.bulk.keepsRefreshTokens = $1 }, "refresh-tokens",
            help: "Write the refresh tokens, too.")
    }
}

extension Array {
    /// The options `--jobs` and `--rate`.
    static func bulkLimits<Options: TakesBulkOptions>() -> [Element] where Element == Argument<Options> {
        [
            .number(
                { $0.bulk.jobs = $1 }, "jobs", 1...64, default: "4",
                help: "Process N accounts at a time (local accounts: one)."),
            .option(
                { $0.bulk.interval = $1 }, "rate", value: "N/s|N/m",
                help: "Process at most N accounts per second or minute.",
                parse: { text throws(ArgumentValueError) in try interval(text) }),
        ]
    }

    private static func interval(_ text: String) throws(ArgumentValueError) -> Duration {
        let parts = text.split(separator: "/" as Character, omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), 1...100_000 ~= count, ["s", "m"].contains(parts[1]) else {
            throw ArgumentValueError("'\(text)' is not a rate such as 5/s or 20/m")
        }
        return .seconds(parts[1] == "s" ? 1 : 60) / count
    }
}

extension Context {
    func appendFile(_ path: String, _ kind: BulkFile, creates: Bool = true) throws(AuthError) -> AppendFile {
        try mappingFileErrors { () throws(FileError) in try world.appendFile(path, kind, creates, warn) }
    }

    /// Renames the files of earlier runs. The journal is the last one: until then, the same command can be repeated.
    func setAside(_ options: BulkOptions) throws(AuthError) {
        for kind in BulkFile.allCases.reversed() {
            guard let path = options.files[kind], let old = try appendFile(path, kind).setAside(as: kind) else {
                continue
            }
            events.note("the old '\(path)' is kept as '\(old)'")
        }
    }

    /// Reads the whole input of a bulk command before its first row is sent, see `AccountSource.survey`.
    func survey(_ source: inout AccountSource, _ losses: RowLosses, isStrict: Bool = false) throws(AuthError) {
        try events.during("reading the accounts") { () throws(AuthError) in
            try source.survey(losses, isStrict: isStrict, warn: warn, note: { events.note($0) })
        }
    }

    /// Says why a file has no lines after a run with rows.
    func noteEmpty(_ path: String?, _ file: AppendFile?, after output: BulkReport.Output, _ cause: String) {
        if let path, file?.isEmpty == true, !output.hasNoRows { events.note("'\(path)' is empty: \(cause)") }
    }

    /// Opens a file of accounts, or standard input. Warns if other users can change the file, or if they can read the
    /// generated passwords in it.
    ///
    /// - Parameter isReadTwice: whether a pipe must be kept in memory; `nil` for yes, unless passwords are generated.
    func accounts(
        _ path: String, areGenerated: Bool = false, isReadTwice: Bool? = nil, shard: Shard? = nil,
        _ columns: AccountColumns = .credentials
    ) throws(AuthError) -> AccountSource {
        let what = areGenerated ? "credentials" : "accounts"
        let source = isReadTwice ?? !areGenerated ? try repeatableSource(path, of: what) : try source(path, of: what)
        guard path != "-" else { return AccountSource(source, name: "standard input", shard: shard, columns) }
        let kind = areGenerated ? "credentials file" : "file of accounts"
        warnOfMode(source.modeOfOthers, of: kind, path, isPassword: areGenerated)
        return AccountSource(source, name: "'\(path)'", shard: shard, columns)
    }

    /// Opens an input that can be read twice: a pipe is kept in memory.
    func repeatableSource(_ path: String, of what: String) throws(AuthError) -> ByteSource {
        let (source, limit) = (try source(path, of: what), 32 << 20)
        guard source.count == nil else { return source }
        let name = path == "-" ? "standard input" : "'\(path)'"
        do throws(ByteSource.Failure) {
            let bytes = try source.bytes(limit: limit)
            if bytes.count <= limit { return ByteSource(bytes: bytes) }
        } catch {
            throw error.error(reading: name)
        }
        throw AuthError(
            .usage, "\(name) is longer than 32 MiB, and not a file that can be read twice", next: "use a file")
    }

    /// - Parameter file: the argument FILE.
    /// - Throws: `AuthError` `usage` if two of the options name the same file, even through links.
    func requireDistinctFiles(_ options: BulkOptions, and file: String? = nil) throws(AuthError) {
        let paths = [("FILE", file)] + BulkFile.allCases.map { ("--\($0.rawValue)", options.files[$0]) }
        var earlier: [(option: String, file: FileLocation)] = []
        for case (let option, let path?) in paths where path != "-" {
            let file = try mappingFileErrors { () throws(FileError) in try FileLocation(path: path) }
            if let other = earlier.first(where: { $0.file.isSameFile(as: file) }) {
                throw AuthError(.usage, "\(other.option) and \(option) must name different files")
            }
            earlier.append((option, file))
        }
    }
}
