import Foundation

/// A fake of Kii Cloud with users of its own. Stops with its last reference.
///
/// `Tests/Servers/kii.py` describes its features and options.
package final class KiiServer: Sendable {
    /// Includes the path of the API.
    package let url: String
    private let world: Sandbox
    private let program: ServingScript

    package static let appID = "app1"

    package init(_ words: [String] = []) throws {
        world = try Sandbox()
        program = try ServingScript(Servers.python("kii.py") + ["\(world.root)/record"] + words, in: world)
        url = "\(program.url)/api"
    }

    /// The standard error of the server so far.
    package var log: String { program.log }

    /// The requests with a response so far, each as `POST users 201`, with the path below the application.
    package var requests: [String] {
        // `try?`: the file does not exist before the first request.
        let text = (try? world.text("\(world.root)/record")) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The requests that the server receives during the run.
    package func requests<Value>(during run: () throws -> Value) rethrows -> (value: Value, asked: [String]) {
        let count = requests.count
        let value = try run()
        return (value, Array(requests.dropFirst(count)))
    }

    /// Reads or changes the server's internal state: `test("code", of: "ada")`.
    @discardableResult
    package func test(_ word: String, of user: String) throws -> String {
        let isQuestion = ["code", "live"].contains(word)
        let finished = try world.start(
            ["-sf", "-X", isQuestion ? "GET" : "POST", "\(program.url)/test/\(word)?name=\(user)"],
            program: ["/usr/bin/curl"]
        ).wait()
        guard finished.exitCode == 0 else { throw JSONDocument.Fault("\(word) of \(user): \(log)") }
        return finished.stdout
    }
}
