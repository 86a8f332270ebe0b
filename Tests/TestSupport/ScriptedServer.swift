package import Foundation

/// A scripted server on loopback that records its requests. It stops when the last reference is released.
///
/// `Tests/Servers/scripted-server.py` describes its features.
package final class ScriptedServer {
    package enum Step: Sendable {
        /// Sends the text. `{port}` becomes the listener's own port, `{port:1}` the port of listener 1.
        case send(String)
        case sendBytes(Data)
        /// Sends the text byte by byte, and pauses for `every` seconds after each byte.
        case drip(String, every: Double)
        /// Sends the text `count` times, or endlessly if `count` is `nil`.
        case repeating(String, count: Int? = nil)
        /// Sends endless chunks of zeros that are compressed with these content codings.
        case bomb([String])
        case pause(Double)
        /// Waits until the file exists.
        case wait(for: String)
        case stall
        case close
        case reset
        /// Opens a tunnel to the listener with this number.
        case tunnel(Int)
    }

    /// The steps that answer one request. They run when the whole request is received, unless `when` is earlier.
    package struct Answer: ExpressibleByArrayLiteral, Sendable {
        package enum Moment: Sendable {
            case request, headers
            /// After this many bytes of the request. Supported only for the route `*`.
            case bytes(Int)
        }

        let when: Moment
        let steps: [Step]

        package init(when: Moment, _ steps: [Step]) {
            self.when = when
            self.steps = steps
        }

        package init(arrayLiteral steps: Step...) {
            self.init(when: .request, steps)
        }

        /// Returns this answer with a pause before its steps.
        package func after(seconds: Double) -> Answer {
            after(.pause(seconds))
        }

        /// Returns this answer with `step` before its steps.
        package func after(_ step: Step) -> Answer { Answer(when: when, [step] + steps) }

        /// A status line, header fields, and a body with its length.
        package static func answer(_ status: String, _ fields: [String] = [], _ body: String = "") -> Answer {
            let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.utf8.count)", "", ""]
            return [.send(head.joined(separator: "\r\n") + body)]
        }
    }

    package struct Listener: Sendable {
        package var address = "127.0.0.1"
        /// The path of a file with certificate and key; `nil`: no TLS.
        package var certificate: String?
        package var newestTLS: String?
        package var hasNoEncryption = false
        /// Whether the server requires a client certificate.
        package var wantsCertificate = false
        package var atAccept: [Step]?
        package var atHello: [Step]?
        /// Responses by path, `CONNECT` or `*`. The first request gets the first response; the last response repeats.
        package var routes: [String: [Answer]] = [:]

        package init(_ routes: [String: [Answer]] = [:], certificate: String? = nil) {
            self.routes = routes
            self.certificate = certificate
        }
    }

    package struct Request: Sendable {
        package let listener: Int
        /// The number of the connection, counted from 1.
        package let connection: Int
        package let method: String
        package let target: String
        /// The request line and the header fields, each with CR LF; for `when: .bytes`, all bytes received so far.
        package let head: String
        package let body: Data
        /// The time of receipt on a monotonic clock, in seconds.
        package let time: Double

        package var fields: [String] { head.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty } }
    }

    package let ports: [Int]
    private let program: RunningProgram
    private let world: Sandbox
    private let record: String

    package init(_ listeners: [Listener]) throws {
        world = Sandbox()
        record = "\(world.root)/record"
        let scenario = try JSONSerialization.data(withJSONObject: ["listeners": listeners.map(\.object)])
        let pipe = Pipe()
        program = try world.start(
            [record], input: .bytes([UInt8](scenario) + [UInt8(ascii: "\n")]),
            output: pipe.fileHandleForWriting.fileDescriptor, program: Servers.python("scripted-server.py"))
        try pipe.fileHandleForWriting.close()
        let line = pipe.fileHandleForReading.availableData
        guard let ready = try? JSONSerialization.jsonObject(with: line) as? [String: [Int]], let ports = ready["ports"]
        else { throw JSONDocument.Fault("the server did not start: \(program.errorSoFar)") }
        self.ports = ports
    }

    package convenience init(_ routes: [String: [Answer]]) throws {
        try self.init([Listener(routes)])
    }

    package func url(_ path: String, scheme: String = "http", host: String = "127.0.0.1", listener: Int = 0) -> String {
        "\(scheme)://\(host):\(ports[listener])\(path)"
    }

    package var requests: [Request] {
        events.filter { $0["event"] as? String == "request" }.map { event in
            Request(
                listener: event["listener"] as? Int ?? -1, connection: event["connection"] as? Int ?? 0,
                method: event["method"] as? String ?? "", target: event["target"] as? String ?? "",
                head: event["head"] as? String ?? "",
                body: Data(base64Encoded: event["body"] as? String ?? "") ?? Data(), time: event["time"] as? Double ?? 0
            )
        }
    }

    package func connections(to listener: Int = 0) -> Int { count("connection", listener) }

    /// The number of completed TLS handshakes.
    package func handshakes(with listener: Int = 0) -> Int { count("handshake", listener) }

    private func count(_ event: String, _ listener: Int) -> Int {
        events.count { $0["event"] as? String == event && $0["listener"] as? Int == listener }
    }

    private var events: [[String: Any]] {
        let text = (try? world.text(record)) ?? ""
        return text.split(separator: "\n").compactMap {
            // `try?` skips an event that the server is still writing: the client has not observed it yet.
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }
}

extension ScriptedServer.Listener {
    fileprivate var object: [String: Any] {
        var object: [String: Any] = ["address": address, "routes": routes.mapValues { $0.map(\.object) }]
        if let atAccept { object["atAccept"] = atAccept.map(\.object) }
        if let atHello { object["atHello"] = atHello.map(\.object) }
        if let certificate {
            var tls: [String: Any] = [
                "certificate": certificate, "noEncryption": hasNoEncryption, "wantsCertificate": wantsCertificate,
            ]
            if let newestTLS { tls["newest"] = newestTLS }
            object["tls"] = tls
        }
        return object
    }
}

extension ScriptedServer.Answer {
    fileprivate var object: [String: Any] {
        let moment: Any =
            switch when {
            case .request: "request"
            case .headers: "headers"
            case .bytes(let count): count
            }
        return ["when": moment, "steps": steps.map(\.object)]
    }
}

extension ScriptedServer.Step {
    fileprivate var object: [String: Any] {
        switch self {
        case .send(let text): ["send": text]
        case .sendBytes(let bytes): ["sendBase64": bytes.base64EncodedString()]
        case .drip(let text, let pause): ["drip": text, "every": pause]
        case .repeating(let text, let count): count.map { ["repeat": text, "count": $0] } ?? ["repeat": text]
        case .bomb(let encodings): ["bomb": encodings]
        case .pause(let seconds): ["pause": seconds]
        case .wait(let path): ["waitFor": path]
        case .stall: ["stall": true]
        case .close: ["close": "end"]
        case .reset: ["close": "reset"]
        case .tunnel(let listener): ["tunnel": listener]
        }
    }
}
