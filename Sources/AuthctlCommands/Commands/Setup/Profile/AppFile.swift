import AuthBackends
import AuthClient
import AuthModel
import JSON
import Platform

/// The connection in an app's own configuration: a dotenv file, or an object in JavaScript or JSON.
struct AppFile {
    private struct Entry {
        let name: String
        /// The name without the prefix of a bundler.
        let base: String
        /// `nil` if only a program can find out the value.
        let value: String?

        /// Whether the bundler copies the value into the app.
        var isPublic: Bool { name != base }
    }

    /// The prefixes of Next.js, Vite, Expo, SvelteKit, Create React App, Nuxt and Gatsby. The longer of two comes first.
    private static let prefixes = [
        "NEXT_PUBLIC_", "VITE_", "EXPO_PUBLIC_", "PUBLIC_", "REACT_APP_", "NUXT_PUBLIC_", "GATSBY_",
    ]

    private struct Found {
        let kind: String
        /// The entries with the settings of the profile, by key.
        var entries: [(key: String, entry: Entry)] = []
        var secrets: [Entry] = []
        /// The entries whose values are not known.
        var unknown: [Entry] = []
    }

    private let path: String
    private let entries: [Entry]
    private let context: Context
    private var found = Found(kind: "")

    /// - Parameter kind: the kind of server to look for; `nil` for any.
    /// - Throws: `AuthError` `usage` if the file names no server, two of them, or a secret key as an app's own.
    init(_ path: String, ofKind kind: String?, in context: Context) throws(AuthError) {
        let text = String(decoding: try context.connectionFile(path), as: UTF8.self)
        let names = Set(context.backends.flatMap { context.appNames(ofKind: $0.kind).all })
        entries = Self.withoutComments(text.utf8).split { $0.isNewline }.flatMap { Self.entries(in: $0, names) }
        (self.path, self.context) = (path, context)
        var all: [Found] = []
        for backend in context.backends where kind == nil || backend.kind == kind {
            if let found = try find(backend) { all.append(found) }
        }
        let matching = all.filter { !$0.entries.isEmpty }
        guard let first = matching.first else { throw namesNone(ofKind: kind, all) }
        guard matching.count == 1 else {
            let kinds = matching.map(\.kind)
            throw AuthError(
                .usage, "file '\(path)' names two servers: \(kinds.joined(separator: " and "))",
                nextSteps: kinds.map { NextStep("for \($0), add --backend \($0)") })
        }
        found = first
        if let secret = found.secrets.first(where: \.isPublic) {
            throw AuthError(
                .usage, "'\(secret.name)' in '\(path)' publishes a secret key: all who open the app get all rights",
                next: "rename it to \(secret.base), and replace the key on the server")
        }
        if let secret = found.secrets.first, let usual = context.appNames(ofKind: found.kind).clientKey.first,
            settings[ProfileKey.clientKey.rawValue] == nil
        {
            throw AuthError(
                .usage, "'\(secret.name)' in '\(path)' is a secret key, and the file has no other",
                next: "add a line with \(usual) to the file")
        }
    }

    /// The connection as the settings of a profile.
    var settings: JSONObject {
        var settings = JSONObject()
        for (key, entry) in found.entries {
            // Firebase's tools name the emulator without a scheme.
            let isHost = entry.base == "FIREBASE_AUTH_EMULATOR_HOST"
            settings[key] = entry.value.map { .string(isHost ? "http://\($0)" : $0) }
        }
        settings[ProfileKey.backend.rawValue] = .string(found.kind)
        return settings
    }

    private func namesNone(ofKind kind: String?, _ all: [Found]) -> AuthError {
        let unknown = all.flatMap(\.unknown)
        if !unknown.isEmpty {
            let verb = unknown.count == 1 ? "has" : "have"
            return AuthError(
                .usage, "\(unknown.map(\.name).quotedList(atMost: 9)) in '\(path)' \(verb) no plain value",
                next: "leave out --env-file, and name the connection with options")
        }
        // `try?`: what is wrong with a connection that is not wanted does not matter.
        let others = context.backends.compactMap { try? find($0) }
        if let kind, let other = others.first(where: { !$0.entries.isEmpty }) {
            return AuthError(
                .usage, "file '\(path)' names no server of the kind '\(kind)', but one of '\(other.kind)'",
                next: "use --backend \(other.kind), or leave it out")
        }
        let names = context.backends.compactMap { context.appNames(ofKind: $0.kind).all.first }
        return AuthError(
            .usage, "file '\(path)' names no server", next: "it needs one of \(names.joined(separator: ", "))")
    }

    /// Says what was read, and what was not.
    ///
    /// - Parameters:
    ///   - copied: the settings of the file in their normal form.
    ///   - profile: those of the profile. Options replace some, and a key of another server is not kept.
    func note(_ copied: JSONObject, in profile: JSONObject) {
        let entries = found.entries.map { (entry: $0.entry, isUsed: profile[$0.key] == copied[$0.key]) }
        for (entries, words) in [
            (entries.filter(\.isUsed).map(\.entry), ("read ", " from '\(path)'")),
            (entries.filter { !$0.isUsed }.map(\.entry), ("did not use ", ": the options name another connection")),
            (found.unknown, ("did not read ", ": no plain value")),
            (found.secrets, ("did not read ", ": secret keys are for servers")),
        ] where !entries.isEmpty {
            context.events.note("\(words.0)\(entries.map(\.name).quotedList(atMost: 9))\(words.1)")
        }
    }

    /// Returns `nil` if the file has no entry for this kind of server.
    private func find(_ backend: BackendDescriptor) throws(AuthError) -> Found? {
        let names = context.appNames(ofKind: backend.kind)
        var found = Found(kind: backend.kind, secrets: entries.filter { names.secrets.contains($0.base) })
        for (key, names) in [
            (ProfileKey.server, names.server), (.appID, names.appID), (.clientKey, names.clientKey),
        ] {
            if let entry = try entry(names) {
                found.entries.append((key.rawValue, entry))
            } else {
                found.unknown += entries.filter { names.contains($0.base) }
            }
        }
        return found.entries.isEmpty && found.unknown.isEmpty ? nil : found
    }

    /// The entry of the first of these names that the file has.
    private func entry(_ names: [String]) throws(AuthError) -> Entry? {
        for name in names {
            let found = entries.filter { $0.base == name && $0.value != nil }
            guard let first = found.first else { continue }
            guard let other = found.first(where: { $0.value != first.value }) else { return first }
            let names =
                first.name == other.name ? "two lines of '\(first.name)'" : "'\(first.name)' and '\(other.name)'"
            throw AuthError(.usage, "\(names) in '\(path)' have different values", next: "remove one")
        }
        return nil
    }

    // MARK: - Syntax

    /// The known names in a line that get a value: `NAME=value`, `name: "value"`, `"name": "value"`.
    private static func entries(in line: Substring, _ names: Set<String>) -> [Entry] {
        var (rest, entries) = (line.utf8[...], [Entry]())
        while let start = rest.firstIndex(where: isNameByte) {
            let word = rest[start...].prefix(while: isNameByte)
            rest = rest[word.endIndex...]
            let name = String(Substring(word))
            let prefix = prefixes.first { name.hasPrefix($0) } ?? ""
            let base = String(name.dropFirst(prefix.count))
            guard names.contains(base), let sign = sign(&rest) else { continue }
            let value = value(&rest, after: sign)
            if value != "" { entries.append(Entry(name: name, base: base, value: value)) }
        }
        return entries
    }

    /// The text without comments: `#` or `//` up to the end of the line, `/* … */`. Each begins a line or follows a space,
    /// outside of quotes.
    private static func withoutComments(_ text: String.UTF8View) -> String {
        var (bytes, rest) = ([UInt8](), text[...])
        var (quote, mayEnd) = (UInt8?.none, true)
        while let byte = rest.first {
            let last = bytes.last ?? newline
            if quote == nil, isSpace(last) || last == newline {
                if byte == UInt8(ascii: "#") || rest.starts(with: "//".utf8) {
                    rest = rest.drop { $0 != newline }
                    continue
                }
                if mayEnd, rest.starts(with: "/*".utf8) {
                    if let end = rest.indices.first(where: { rest[$0...].starts(with: "*/".utf8) }) {
                        rest = rest[end...].dropFirst(2)
                        continue
                    }
                    mayEnd = false
                }
            }
            // An apostrophe in a word is no quote.
            if byte == quote || byte == newline {
                quote = nil
            } else if quote == nil, isQuote(byte), !isNameByte(last) {
                quote = byte
            }
            bytes.append(byte)
            rest = rest.dropFirst()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Skips the `=` or `:` after a name, up to the value, and returns it.
    private static func sign(_ text: inout Substring.UTF8View) -> UInt8? {
        var rest = text
        if rest.first.map(isQuote) == true { rest = rest.dropFirst() }
        rest = rest.drop(while: isSpace)
        guard let sign = rest.popFirst(), [UInt8(ascii: "="), UInt8(ascii: ":")].contains(sign) else { return nil }
        text = rest.drop(while: isSpace)
        return sign
    }

    /// Reads a value; `nil` if only a program can find it out.
    private static func value(_ text: inout Substring.UTF8View, after sign: UInt8) -> String? {
        let value: Substring.UTF8View
        if let quote = text.first, isQuote(quote) {
            value = text.dropFirst().prefix { $0 != quote }
            guard value.endIndex != text.endIndex else { return nil }
        } else {
            // In an object of JavaScript, only a quoted text is a value.
            guard sign == UInt8(ascii: "=") else { return nil }
            value = text.prefix { !isSpace($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
        }
        text = text[value.endIndex...]
        let isCode = ["process.env", "import.meta"].contains { value.starts(with: $0.utf8) }
        return isCode || value.contains(UInt8(ascii: "$")) ? nil : String(Substring(value))
    }

    private static let newline = UInt8(ascii: "\n")
    private static func isNameByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    private static func isQuote(_ byte: UInt8) -> Bool { "\"'`".utf8.contains(byte) }
}

extension Context {
    fileprivate func appNames(ofKind kind: String) -> AppNames { world.backends()[kind]?.appNames() ?? AppNames() }

    /// Reads a file with a connection.
    func connectionFile(_ path: String) throws(AuthError) -> [UInt8] {
        let limit = 1 << 20
        do throws(FileError) {
            let bytes = try world.readFile(path, limit).bytes
            if bytes.count <= limit { return bytes }
        } catch {
            throw AuthError(.usage, error.message)
        }
        throw AuthError(.usage, "file '\(path)' is larger than 1 MiB")
    }
}
