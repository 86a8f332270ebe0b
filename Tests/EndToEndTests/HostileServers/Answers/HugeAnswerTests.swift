import Foundation
import TestSupport
import Testing

/// Endless responses, and responses that are much larger after decompression. authctl aborts them early, with little
/// memory and processor time.
@Suite(.keepsSecrets) struct HugeAnswerTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    private static let chunked = "\(head)Transfer-Encoding: chunked\r\n"

    /// 64 MiB of zeros, compressed with Brotli.
    private static let brotli = Data(
        base64Encoded: "z///f/gnAOKxQCD3/p/////wTwDEYQGA7v0/////4Z8AiMMiAN37//z//8c/ARCHBQC69/8=")!
    /// A frame header with a window of 128 KiB, and a run-length block of one letter (RFC 8878, section 3.1.1).
    private static let zstandard = (head: Data([0x28, 0xB5, 0x2F, 0xFD, 0, 0x38]), block: Data([2, 0, 0x10, 0x61]))
    private static func encoded(_ encoding: String, _ steps: ScriptedServer.Step...) -> ScriptedServer.Answer {
        .init(when: .request, [.send("\(head)Content-Encoding: \(encoding)\r\n\r\n")] + steps)
    }

    private static func bomb(_ encodings: String...) -> ScriptedServer.Answer {
        let field = "Content-Encoding: \(encodings.joined(separator: ", "))"
        return [.send("\(chunked)\(field)\r\n\r\n"), .bomb(encodings)]
    }

    private static let answers: [(name: String, answer: ScriptedServer.Answer)] = [
        ("a length of 10 GB", [.send("\(head)Content-Length: 10000000000\r\n\r\n"), .repeating("a")]),
        ("no length", [.send("\(head)\r\n"), .repeating("a")]),
        ("chunks", [.send("\(chunked)\r\n"), .repeating("5\r\nabcde\r\n")]),
        ("a header", [.send(head), .repeating("X-A: b\r\n")]),
        ("a line of 10 MB", [.send("\(head)X-A: "), .repeating("b", count: 10_000_000), .send("\r\n\r\n")]),
        ("hints", [.repeating("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n")]),
        ("patience", [.repeating("HTTP/1.1 100 Continue\r\n\r\n")]),
        ("a trailer", [.send("\(chunked)\r\n2\r\n{}\r\n0\r\n"), .repeating("X-A: b\r\n")]),
        ("gzip", bomb("gzip")), ("gzip twice", bomb("gzip", "gzip")), ("deflate", bomb("deflate")),
        ("br", encoded("br", .sendBytes(brotli), .close)),
        (
            "zstd",
            encoded(
                "zstd", .sendBytes(zstandard.head),
                .sendBytes((0..<500).reduce(into: Data()) { all, _ in all += zstandard.block }), .stall)
        ),
    ]

    @Test func `an endless or compressed response is aborted early`() throws {
        let cases = Self.answers.flatMap { answer in [Operation.whoami, .login].map { (answer, $0) } }
        let server = try ScriptedServer(cases.map { .init(["*": [$0.0.answer]]) })
        try run(cases, atOnce: 3) { number, one in
            let world = try Sandbox()
            return try OperationRun(
                one.1, at: server.url("/api", host: "localhost", listener: number), name: one.0.name, world: world,
                under: world.measuring)
        } then: { number, one, run in
            let error = try run.failure(8, "invalid-response")
            #expect(error.number("http") == nil)
            #expect(server.requests.to(number).count == (one.1 == .whoami ? 3 : 1), "\(one.0.name)")
            let (mebibytes, milliseconds) = try run.world.measured()
            #expect(mebibytes < 50, "\(one.0.name)")
            #expect(milliseconds < 1000, "\(one.0.name)")
        }
    }
}

extension Sandbox {
    private var measurement: String { "\(root)/measurement" }

    /// The program that measures the command which follows it.
    fileprivate var measuring: [String] { Servers.python("measure.py") + [measurement] }

    fileprivate func measured() throws -> (mebibytes: Int, milliseconds: Int) {
        let numbers = try text(measurement).split { " \n".contains($0) }.compactMap { Int($0) }
        try #require(numbers.count == 2)
        return (numbers[0] >> 10, numbers[1])
    }
}
