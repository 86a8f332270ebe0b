import Foundation
import TestSupport

/// A running `authctl serve`. The program is stopped when the last reference is released.
final class ServingProgram {
    static let appID = "local"

    let world: Sandbox
    let program: RunningProgram
    let url: String
    let announcement: JSONDocument

    /// - Parameter words: options in addition to `serve --port 0 --json`.
    convenience init(_ words: String..., world: Sandbox? = nil, under: [String] = []) throws {
        try self.init(words: words, world: world, under: under)
    }

    init(words: [String], world: Sandbox? = nil, under: [String] = []) throws {
        let world = world ?? Sandbox()
        self.world = world
        let pipe = Pipe()
        program = try world.start(
            ["serve", "--port", "0", "--json"] + words, under: under, output: pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForWriting.close()
        announcement = try JSONDocument(line: Self.firstLine(of: pipe.fileHandleForReading))
        url = announcement.string("url") ?? ""
    }

    /// The output up to the first newline, or all of it if the program ends earlier.
    private static func firstLine(of handle: FileHandle) -> Data {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let bytes = handle.availableData
            if bytes.isEmpty { break }
            line += bytes
        }
        return line
    }

    var port: String { String(url.split(separator: ":")[2].prefix { $0.isNumber }) }

    /// Sends a request with curl.
    func ask(
        _ method: String = "GET", _ path: String, _ body: String? = nil, token: String? = nil,
        headers: [String] = ["X-Parse-Application-Id: local"], options: [String] = []
    ) throws -> Answer {
        var words = ["-s", "-S", "--max-time", "20", "-X", method, "-w", "\n%{http_code}"] + options
        for header in headers { words += ["-H", header] }
        if let token { words += ["-H", "X-Parse-Session-Token: \(token)"] }
        if let body { words += ["-H", "Content-Type: application/json", "--data-binary", body] }
        let target = path.hasPrefix("http") ? path : url + path
        return Answer(try world.start(words + [target], program: ["/usr/bin/curl"]).wait())
    }

    func signUp(_ name: String = "ada") throws -> Answer {
        try ask("POST", "/users", #"{"username":"\#(name)","password":"\#(Sandbox.password)"}"#)
    }

    func logIn(_ name: String = "ada", password: String = Sandbox.password) throws -> Answer {
        try ask("POST", "/login", #"{"username":"\#(name)","password":"\#(password)"}"#)
    }

    /// The response. The last line of curl's output is the status.
    struct Answer {
        let status: Int
        let body: String

        init(_ finished: Finished) {
            let lines = finished.stdout.split(separator: "\n", omittingEmptySubsequences: false)
            status = lines.last.flatMap { Int($0) } ?? 0
            body = lines.dropLast().joined(separator: "\n")
        }

        var json: JSONDocument? { try? JSONDocument(line: Data((body + "\n").utf8)) }
        var token: String? { json?.string("sessionToken") }
    }
}

extension Sandbox {
    /// A sandbox whose current profile `site` selects the server.
    convenience init(visiting server: ServingProgram) throws {
        self.init()
        let place = ["--backend", "parse", "--server", server.url, "--app-id", ServingProgram.appID]
        try #require(try start(["profile", "add", "site"] + place).wait().exitCode == 0)
        try #require(try run("profile", "use", "site").exitCode == 0)
    }
}
