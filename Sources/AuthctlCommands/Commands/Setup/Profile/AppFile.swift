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
        let value: String

        /// Whether the bundler copies the value into the app.
        var isPublic: Bool { name != base }
    }

    /// The prefixes of Next.js, Vite, Expo, SvelteKit, Create React App, Nuxt and Gatsby. The longer of two comes first.
    private static let prefixes = [
        "NEXT_PUBLIC_", "VITE_", "EXPO_PUBLIC_", "PUBLIC_", "REACT_APP_", "NUXT_PUBLIC_", "GATSBY_",
    ]

    private struct Found {
        let kind: String
        var settings = JSONObject()
        var used: [Entry] = []
        var secrets: [Entry] = []
    }

    private let path: String
    private let entries: [Entry]
    private let context: Context

    init(_ path: String, in context: Context) throws(AuthError) {
        let text = String(decoding: try context.connectionFile(path), as: UTF8.self)
        let names = Set(context.backends.flatMap { context.appNames(of: $0).all })
        entries = text.split { $0.isNewline }.flatMap { Self.entries(in: $0, names) }
        (self.path, self.context) = (path, context)
    }

    /// The connection as the settings of a profile.
    ///
    /// - Parameter kind: the kind of server to look for; `nil` for any.
    /// - Throws: `AuthError` `usage` if the file names no server, two of them, or a secret key as an app's own.
    func settings(ofKind kind: String?) throws(AuthError) -> JSONObject {
        var all: [Found] = []
        for backend in context.backends where kind == nil || kind == backend.kind {
            if let found = try find(backend) { all.append(found) }
        }
        guard let found = all.first else {
            let names = context.backends.compactMap { context.appNames(of: $0).all.first }
            throw AuthError(
                .usage, "file '\(path)' names no server", next: "it needs one of \(names.joined(separator: ", "))")
        }
        guard all.count == 1 else {
            let kinds = all.map(\.kind)
            throw AuthError(
                .usage, "file '\(path)' names two servers: \(kinds.joined(separator: " and "))",
                nextSteps: kinds.map { NextStep("for \($0), add --backend \($0)") })
        }
        context.events.note("read \(found.used.map(\.name).quotedList(atMost: 9)) from '\(path)'")
        if !found.secrets.isEmpty {
            let names = found.secrets.map(\.name).quotedList(atMost: 9)
            context.events.note("did not read \(names): secret keys are for servers")
        }
        return found.settings
    }

    private func find(_ backend: BackendDescriptor) throws(AuthError) -> Found? {
        let names = context.appNames(of: backend)
        var found = Found(kind: backend.kind)
        for (key, names) in [
            (ProfileKey.server, names.server), (.appID, names.appID), (.clientKey, names.clientKey),
        ] {
            guard let entry = try entry(names) else { continue }
            found.used.append(entry)
            found.settings[key.rawValue] = .string(entry.value)
        }
        guard !found.used.isEmpty else { return nil }
        found.settings[ProfileKey.backend.rawValue] = .string(backend.kind)
        found.secrets = entries.filter { names.secrets.contains($0.base) }
        if let secret = found.secrets.first(where: \.isPublic) {
            throw AuthError(
                .usage, "'\(secret.name)' in '\(path)' publishes a secret key: all who open the app get all rights",
                next: "rename it to \(secret.base), and replace the key on the server")
        }
        if let secret = found.secrets.first, let usual = names.clientKey.first,
            found.settings[ProfileKey.clientKey.rawValue] == nil
        {
            throw AuthError(
                .usage, "'\(secret.name)' in '\(path)' is a secret key, and the file has no other",
                next: "add a line with \(usual) to the file")
        }
        return found
    }

    /// The entry of the first of these names that the file has.
    private func entry(_ names: [String]) throws(AuthError) -> Entry? {
        for name in names {
            let found = entries.filter { $0.base == name }
            guard let first = found.first else { continue }
            guard let other = found.first(where: { $0.value != first.value }) else { return first }
            throw AuthError(
                .usage, "'\(first.name)' and '\(other.name)' in '\(path)' have different values", next: "remove one")
        }
        return nil
    }

    // MARK: - Syntax

    /// The known names in a line that have a value: `NAME=value`, `name: "value"`, `"name": "value"`.
    private static func entries(in line: Substring, _ names: Set<String>) -> [Entry] {
        var (rest, entries) = (withoutComment(line.utf8), [Entry]())
        while let start = rest.firstIndex(where: isNameByte) {
            let word = rest[start...].prefix(while: isNameByte)
            rest = rest[word.endIndex...]
            let name = String(Substring(word))
            let prefix = prefixes.first { name.hasPrefix($0) } ?? ""
            let base = String(name.dropFirst(prefix.count))
            guard names.contains(base), let value = value(&rest) else { continue }
            entries.append(Entry(name: name, base: base, value: value))
        }
        return entries
    }

    /// The line up to a comment: `#`, `//` or `/*` at its begin or after a space, or `*` in a comment of many lines.
    private static func withoutComment(_ line: Substring.UTF8View) -> Substring.UTF8View {
        var isAfterSpace = true
        if line.first(where: { !isSpace($0) }) == UInt8(ascii: "*") { return line[line.endIndex...] }
        for place in line.indices {
            let rest = line[place...]
            if isAfterSpace, ["#", "//", "/*"].contains(where: { rest.starts(with: $0.utf8) }) {
                return line[..<place]
            }
            isAfterSpace = isSpace(line[place])
        }
        return line
    }

    /// Reads the value after a name; `nil` if none follows, or one that only a program can find out.
    private static func value(_ text: inout Substring.UTF8View) -> String? {
        var rest = text
        if rest.first.map(isQuote) == true { rest = rest.dropFirst() }
        rest = rest.drop(while: isSpace)
        guard let sign = rest.popFirst(), [UInt8(ascii: "="), UInt8(ascii: ":")].contains(sign) else { return nil }
        rest = rest.drop(while: isSpace)
        let value: Substring.UTF8View
        if let quote = rest.first, isQuote(quote) {
            value = rest.dropFirst().prefix { $0 != quote }
            guard value.endIndex != rest.endIndex else { return nil }
        } else {
            // In an object of JavaScript, only a quoted text is a value.
            guard sign == UInt8(ascii: "=") else { return nil }
            value = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
        }
        text = rest[value.endIndex...]
        return value.isEmpty || value.contains(UInt8(ascii: "$")) ? nil : String(Substring(value))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    private static func isQuote(_ byte: UInt8) -> Bool { "\"'`".utf8.contains(byte) }
}

extension Context {
    fileprivate func appNames(of backend: BackendDescriptor) -> AppNames {
        world.backends()[backend.kind]?.appNames() ?? AppNames()
    }

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
