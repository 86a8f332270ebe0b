import Foundation
import TestSupport
import Testing

/// The errors that somebody new is likeliest to meet, word for word: what failed, why, and the next step.
///
/// Read before they were accepted by somebody who did not know the tool.
protocol ErrorMessages {
    var world: Sandbox { get }
}

extension ErrorMessages {
    func options(_ url: String) -> [String] { ["--backend", "parse", "--app-id", "shop", "--server", url] }

    func expect(
        _ code: Int32, _ text: String, of words: [String], input: Input = .password,
        answering answer: (path: String, status: String, body: String)? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let server = try answer.map { try ScriptedServer($0.path, $0.status, $0.body) }
        let result = try world.start(words + (server?.options ?? []), input: input).wait()
        #expect(result.exitCode == code, sourceLocation: location)
        let said = result.stderr.replacing(world.root, with: "/sandbox").replacing(#/(127\.0\.0\.1):\d{4,}/#) {
            "\($0.1):PORT"
        }
        #expect(said == text, sourceLocation: location)
    }
}
