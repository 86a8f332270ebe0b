import Foundation
import JSON
import Platform
import Transport

@testable import AccountServer

/// Sends the recorded requests to embedded servers, in the recorded order. Each profile has a separate server.
final class ExchangeReplay {
    private static let origin = "http://127.0.0.1:1337"
    private var servers: [String: Server] = [:]
    /// The responses so far, by the name of the exchange. Their values replace placeholders in later requests.
    private var answers: [String: Answer] = [:]
    /// Placeholders without a value.
    private(set) var unfilled: [String] = []

    private final class Server {
        let folder: TestFolder
        let transport: EmbeddedTransport
        let mail = MemoryMail()
        let time = SharedTime()

        init(profile: String) throws {
            folder = TestFolder()
            let time = time
            var settings = ServerSettings(
                database: folder.database(), baseURL: ExchangeReplay.origin + "/parse", applicationID: "authctl-app",
                clientKey: Secret("authctl-key"), clock: WallClock { time.now }, passwordCost: .minimum)
            if profile == "nokeys" { settings.clientKey = nil }
            if profile != "nomail" { settings.mail = mail }
            if profile == "strict" { settings.requiresVerifiedEmail = true }
            if profile == "short" { settings.sessionLifetime = .seconds(2) }
            if profile == "main" {
                settings.facebook = FacebookSettings(
                    appIDs: ["fb-app-1"], appSecret: Secret("fb-secret"), graphURL: "http://graph.test",
                    transport: FakeGraph())
            }
            transport = EmbeddedTransport(settings)
        }
    }

    /// - Returns: `nil` if the exchange is a pause.
    func run(_ exchange: RecordedExchange) throws -> Answer? {
        let server = try server(exchange.profile)
        if let seconds = exchange.seconds {
            server.time.advance(by: .seconds(seconds))
            return nil
        }
        let answer = Answer(try server.transport.send(request(exchange, server.mail)))
        answers[exchange.name] = answer
        return answer
    }

    private func server(_ profile: String) throws -> Server {
        if let server = servers[profile] { return server }
        let server = try Server(profile: profile)
        servers[profile] = server
        return server
    }

    private func request(_ exchange: RecordedExchange, _ mail: MemoryMail) -> HTTPRequest {
        let headers = exchange.headers.map { HTTPHeaders.Field(name: $0.name, value: filled($0.value, mail)) }
        return HTTPRequest(
            HTTPRequest.Method(rawValue: exchange.method), Self.origin + filled(exchange.path, mail),
            headers: HTTPHeaders(headers), body: exchange.body.map { body($0, mail) })
    }

    private func body(_ text: String, _ mail: MemoryMail) -> [UInt8] {
        guard text.hasPrefix("base64:") else { return Array(filled(text, mail).utf8) }
        return Array(Data(base64Encoded: String(text.dropFirst("base64:".count))) ?? Data())
    }

    /// Replaces each placeholder in `text` with the value from an earlier response or e-mail.
    private func filled(_ text: String, _ mail: MemoryMail) -> String {
        var (result, rest) = ("", text[...])
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let words = rest[rest.index(after: start)..<end].split(separator: " ").map(String.init)
            result += rest[..<start]
            result += words.count == 2 ? value(words[0], words[1], mail) : String(rest[start...end])
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private func value(_ kind: String, _ name: String, _ mail: MemoryMail) -> String {
        let parts = name.split(separator: "/")
        let answer = answers[String(parts[0])]
        let value =
            switch kind {
            case "token": answer?.token
            case "id" where parts.count == 2:
                answer?.json?["results"]?.array?[Int(parts[1]) ?? 0]["objectId"]?.string
            case "id": answer?.id
            case "etag": answer?.response.headers["ETag"]
            case "mail": mail.lastToken(name == "verify" ? "verify_email" : "request_password_reset")
            default: nil as String?
            }
        if value == nil { unfilled.append("\(kind) \(name)") }
        return value ?? "none"
    }
}
