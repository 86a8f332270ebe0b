package import AuthModel
import JSON
import Platform
package import Transport

/// Who may do what: the requests of `authctl check`, and what each user should get.
///
///     request                            me    bob   anyone
///     PUT /classes/Note/{n} @n.json      yes   no    404       # a comment
package struct CheckTable: Sendable {
    package struct Row: Sendable {
        /// From 1.
        package let line: Int
        /// The request as typed.
        package let text: String
        /// The path as typed.
        package let typedPath: String
        package let method: HTTPRequest.Method
        /// The percent-encoded path below the base URL, with its query; may contain `{me}`.
        package let path: String
        package let body: [UInt8]?
        package let contentType: String?
        /// One for each user.
        package let expected: [CheckExpectation]

        package var isRead: Bool { method == .get || method == .head }
    }

    /// The user of the profile's own session.
    package static let me = "me"
    /// The user of requests without a session.
    package static let anyone = "anyone"
    static let mostRows = 10_000

    /// The names of saved sessions, `me` and `anyone`.
    package private(set) var users: [String] = []
    package private(set) var rows: [Row] = []
    private var faults: [FieldFault] = []
    private var line = 0

    /// - Parameters:
    ///   - name: the name of the table in messages, such as `'access.txt'`.
    ///   - variables: the values of `{NAME}` in paths.
    ///   - readBody: reads the file that a row names after `@`.
    /// - Throws: `AuthError` `usage` with the faults of all lines.
    package init(
        _ bytes: [UInt8], name: String, variables: [String: String],
        readBody: (String) throws(AuthError) -> [UInt8]
    ) throws(AuthError) {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        for bytes in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            line += 1
            guard let words = words(of: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes), !words.isEmpty
            else { continue }
            if !users.isEmpty { readRow(words, variables, readBody) } else { readHead(words) }
            if rows.count > Self.mostRows { report("more than \(Self.mostRows) requests") }
            if users.isEmpty || rows.count > Self.mostRows { break }
        }
        if faults.count > 1 { throw AuthError(.usage, "\(name) has \(faults.count) faults", fields: faults) }
        if let fault = faults.first { throw AuthError(.usage, "\(name), \(fault.field): \(fault.message)") }
        guard rows.isEmpty else { return }
        let step: NextStep =
            "begin with a line such as 'request me anyone'; each other line is a request with its outcomes"
        throw AuthError(.usage, "\(name) has no request", next: step)
    }

    /// A table of requests that only read, each of which every user should be allowed to send.
    ///
    /// - Parameter paths: percent-encoded.
    init(users: [String], paths: [String]) {
        self.users = users
        rows = paths.enumerated().map { index, path in
            Row(
                line: index + 1, text: "GET \(path)", typedPath: path, method: .get, path: path, body: nil,
                contentType: nil, expected: users.map { _ in .yes })
        }
    }

    /// What the table does not prove. A request that nobody may send is denied even if its path is wrong.
    package var warnings: [String] {
        let useless = rows.filter { $0.expected.allSatisfy { $0 == .notSent || $0.isDenial } }.map { row in
            "line \(row.line): nobody is expected to succeed, so a wrong path or method would go unnoticed"
        }
        let hasDenial = rows.contains { $0.expected.contains(where: \.isDenial) }
        return useless + (hasDenial ? [] : ["the table expects no denial, so it would not notice a missing rule"])
    }

    // MARK: - Lines

    private mutating func report(_ fault: String) { faults.append(FieldFault("line \(line)", fault)) }

    /// Splits a line at blanks. `#` begins a comment at the start of a word. A word keeps all its characters, so that a
    /// path can be in the server's own notation: only quotes around a whole word are removed, and a backslash before a
    /// blank.
    ///
    /// - Returns: `nil` if the line is invalid, which is then reported.
    private mutating func words(of bytes: ArraySlice<UInt8>) -> [String]? {
        let hasControl = bytes.contains { $0.isASCIIControl && $0 != UInt8(ascii: "\t") }
        guard !hasControl, let line = String(validating: bytes, as: UTF8.self) else {
            report(hasControl ? "contains a control character" : "is not UTF-8")
            return nil
        }
        var (words, rest): ([String], _) = ([], line.unicodeScalars[...])
        while true {
            rest = rest.drop(while: \.isBlank)
            guard let first = rest.first, first != "#" else { return words }
            let quote: Unicode.Scalar? = first == "'" || first == "\"" ? rest.removeFirst() : nil
            guard let word = Self.word(&rest, endingWith: quote) else {
                report("has an unbalanced quote")
                return nil
            }
            words.append(word)
        }
    }

    /// - Parameter quote: ends the word before a blank or the end of the line; `nil` if a blank ends the word.
    /// - Returns: `nil` if the quote is missing.
    private static func word(_ rest: inout Substring.UnicodeScalarView, endingWith quote: Unicode.Scalar?) -> String? {
        var word = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            let next = rest.first
            switch scalar {
            case _ where quote == nil && scalar.isBlank: return String(word)
            case _ where scalar == quote && next?.isBlank != false: return String(word)
            case "\\" where quote == "\"" && (next == "\"" || next == "\\") || quote == nil && next?.isBlank == true:
                word.append(rest.removeFirst())
            default: word.append(scalar)
            }
        }
        return quote == nil ? String(word) : nil
    }

    private mutating func readHead(_ words: [String]) {
        guard words[0] == "request" else { return report("the line 'request USER...' must precede the requests") }
        users = Array(words.dropFirst())
        if users.isEmpty { report("names no user") }
        for (index, name) in users.enumerated() {
            if ![Self.me, Self.anyone].contains(name), !SessionKey.isName(name) {
                report("'\(name)' is not a session name")
            }
            if users[..<index].contains(name) { report("names '\(name)' twice") }
        }
    }

    private mutating func readRow(
        _ words: [String], _ variables: [String: String], _ readBody: (String) throws(AuthError) -> [UInt8]
    ) {
        let (count, method) = (faults.count, words[0].uppercased())
        if !method.isHTTPToken || ["CONNECT", "TRACE"].contains(method) { report("'\(words[0])' is not a method") }
        guard words.count > 1 else { return report("has no path") }
        let file = words.count > 2 && words[2].hasPrefix("@") ? String(words[2].dropFirst()) : nil
        let cells = words.dropFirst(file == nil ? 2 : 3)
        if cells.count != users.count {
            report("has \(cells.count) outcome\(cells.count == 1 ? "" : "s"), not \(users.count)")
        }
        let expected = cells.map { CheckExpectation($0) }
        for (cell, meaning) in zip(cells, expected) where meaning == nil {
            report(
                "'\(cell)' is not one of yes, no, a status (2xx or 4xx, but not 429), items=N, fields=NAMES, "
                    + "fields!=NAMES and -")
        }
        var (path, body): (String?, [UInt8]?)
        do throws(AuthError) {
            let parts = try RequestPath(Self.path(words[1], variables))
            path = parts.path + (parts.query.map { "?\($0)" } ?? "")
            if let file {
                if ["GET", "HEAD"].contains(method) { report("a request with the method \(method) has no body") }
                body = try readBody(file)
            }
        } catch {
            report(error.message)
        }
        if path?.holds(SendRequest.ownID) == true,
            zip(users, expected).contains(where: { $0 == Self.anyone && $1 != .notSent })
        {
            report("'\(SendRequest.ownID)' has no value for anyone; write - for this outcome")
        }
        guard let path, faults.count == count else { return }
        rows.append(
            Row(
                line: line, text: words.prefix(file == nil ? 2 : 3).joined(separator: " "), typedPath: words[1],
                method: HTTPRequest.Method(rawValue: method), path: path, body: body,
                contentType: file.map(Self.contentType), expected: expected.compactMap(\.self)))
    }

    /// The path with the values of its variables, percent-encoded.
    private static func path(_ text: String, _ variables: [String: String]) throws(AuthError) -> String {
        var (rest, result) = (text[...], "")
        while let start = rest.firstIndex(of: "{") {
            result += rest[..<start]
            rest = rest[start...].dropFirst()
            let name = rest.prefix { $0 != "}" && $0 != "{" }
            guard rest[name.endIndex...].first == "}", isVariable(name), name != me else {
                result += "{"
                continue
            }
            guard let value = variables[String(name)] else {
                throw AuthError(.usage, "{\(name)} has no value; add --set \(name)=VALUE")
            }
            result += value.percentEncoded
            rest = rest[name.endIndex...].dropFirst()
        }
        return result + rest
    }

    private static func contentType(_ name: String) -> String {
        let last = name.split(separator: "/" as Character).last ?? ""
        if last.hasSuffix(".json") || !last.contains(".") { return "application/json" }
        return last.hasSuffix(".txt") ? "text/plain; charset=utf-8" : "application/octet-stream"
    }

    // MARK: - Variables

    /// Whether the text is a letter or `_`, followed by letters, digits, `_` and `-`.
    private static func isVariable(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, first.isASCIILetter || first == UInt8(ascii: "_") else { return false }
        return name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-".utf8.contains($0) }
    }

    /// Parses `NAME=VALUE`, which sets a variable.
    ///
    /// - Throws: `AuthError` `usage` also for an empty value, which would make the path that of a list.
    package static func variables(_ options: [String]) throws(AuthError) -> [String: String] {
        var variables: [String: String] = [:]
        for text in options {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, isVariable(parts[0]), parts[0] != me, !parts[1].isEmpty else {
                throw AuthError(.usage, "'\(text)' is not NAME=VALUE (option '--set')")
            }
            variables[String(parts[0])] = String(parts[1])
        }
        return variables
    }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

/// What a user should get.
package enum CheckExpectation: Sendable, Equatable {
    case yes, no
    case status(Int)
    /// A list with this number of items.
    case items(Int)
    /// At least one item, and items with no other members than these. A listed member may be missing.
    case fields([String])
    /// At least one item, and items with none of these members.
    case noFields([String])
    /// The request is not sent.
    case notSent

    init?(_ word: String) {
        let number = Int(word.hasPrefix("items=") ? word.dropFirst(6) : word[...]) ?? -1
        if word.hasPrefix("fields=") || word.hasPrefix("fields!=") {
            let list = word.drop { $0 != "=" }.dropFirst().split(separator: ",", omittingEmptySubsequences: false)
            let names = list.map { String($0) }
            guard !names.contains("") else { return nil }
            self = word.hasPrefix("fields=") ? .fields(names) : .noFields(names)
            return
        }
        switch word {
        case "yes": self = .yes
        case "no": self = .no
        case "-": self = .notSent
        case "items=\(number)" where number >= 0: self = .items(number)
        case "\(number)" where 200..<300 ~= number || 400..<500 ~= number && number != 429: self = .status(number)
        default: return nil
        }
    }

    package var word: String {
        switch self {
        case .yes: "yes"
        case .no: "no"
        case .status(let status): "\(status)"
        case .items(let count): "items=\(count)"
        case .fields(let names): "fields=\(names.joined(separator: ","))"
        case .noFields(let names): "fields!=\(names.joined(separator: ","))"
        case .notSent: "-"
        }
    }

    /// Whether a server that denies everything would meet the expectation.
    var isDenial: Bool { [.no, .status(401), .status(403), .status(404), .items(0)].contains(self) }
}
