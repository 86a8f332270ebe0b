import Foundation

/// What stands in for Kii Cloud, with users of its own; ended with the last reference.
///
/// `Tests/Servers/kii.py` describes what it can do, and the words that it is set up with.
package final class KiiServer: Sendable {
    /// With the path that the API is at.
    package let url: String
    private let world: Sandbox
    private let program: ServingScript

    package static let appID = "app1"

    package init(_ words: [String] = []) throws {
        world = try Sandbox()
        program = try ServingScript(Servers.python("kii.py") + ["\(world.root)/record"] + words, in: world)
        url = "\(program.url)/api"
    }

    /// What it complained of so far.
    package var log: String { program.log }

    /// The requests that it answered so far, each as `POST users 201`: the path is that below the application.
    package var requests: [String] {
        // `try?`: there is no such file before the first request.
        let text = (try? world.text("\(world.root)/record")) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// What it is asked meanwhile.
    package func requests<Value>(during run: () throws -> Value) rethrows -> (value: Value, asked: [String]) {
        let count = requests.count
        let value = try run()
        return (value, Array(requests.dropFirst(count)))
    }

    /// What only the service itself could know or do: `test("code", of: "ada")`.
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
