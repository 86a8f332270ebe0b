import CurlTransport
import Foundation
import TestSupport

@testable import Transport

extension LibcurlTransport {
    /// A transport with short time limits.
    static func impatient(_ milliseconds: Int = 5000, authorities: String? = nil, proxy: String? = nil)
        -> LibcurlTransport
    {
        LibcurlTransport(
            NetworkSettings(
                timeLimit: .milliseconds(milliseconds), connectLimit: .milliseconds(milliseconds),
                authorities: authorities, proxy: proxy))
    }

    /// The error of a request; `nil` if it succeeds.
    func failure(_ request: HTTPRequest) -> TransportError? {
        do throws(TransportError) {
            _ = try send(request)
            return nil
        } catch {
            return error
        }
    }
}

extension TransportError {
    /// The message with `PORT` instead of the port of a test server.
    var messageWithoutPort: String { message.replacing(/:[0-9]{4,5}\b/, with: ":PORT") }

    /// Compares the message and the hints with the section of the running test in `Tests/Messages/network/curl.txt`.
    ///
    /// - Parameter words: replacements for texts that differ between runs.
    func expectMessage(
        _ situation: String? = nil, replacing words: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = ["error: \(messageWithoutPort)"] + hints.map { "hint: \($0)" }
        let text = words.reduce(lines.joined(separator: "\n")) {
            $0.replacingOccurrences(of: $1.key, with: $1.value)
        }
        MessageFile("network/curl").expect(text, situation, sourceLocation: sourceLocation)
    }
}

extension Collection<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}
