import Foundation
import TestSupport
import Testing

/// JSON that is none or hardly any, and HTTP of the same sort, in the answer to a log-in: what each is taken for.
@Suite(.keepsSecrets) struct OddAnswerTests {
    private struct Case {
        let name: String
        let answer: ScriptedServer.Answer
        let isTaken: Bool
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    private static let noToken = "token in another case"

    private static func answer(_ body: Data) -> ScriptedServer.Answer {
        [.send("\(head)Content-Length: \(body.count)\r\n\r\n"), .sendBytes(body)]
    }

    /// The good body with another member at its end.
    private static func adding(_ member: String, to kind: ServerKind) -> String {
        "\(Operation.login.goodBody(of: kind).dropLast()),\(member)}"
    }

    private static func documents(of kind: ServerKind) -> [(name: String, body: Data, isTaken: Bool)] {
        let good = Operation.login.goodBody(of: kind)
        let member = kind.tokenMember
        let token = "\"\(member)\":\"\(kind == .parse ? "r:" : "")canary-new\""
        let texts: [(String, String, Bool)] = [
            ("token twice", good.replacing(token, with: "\(token),\"\(member)\":\"canary-other\""), false),
            (noToken, good.replacing(member, with: member.uppercased()), false),
            ("comma at the end", "\(good.dropLast()),}", false), ("text at the end", "\(good) x", false),
            ("two documents", good + good, false), ("mark of byte order", "\u{FEFF}\(good)", false),
            ("NaN", adding(#""n":NaN"#, to: kind), false), ("1e400", adding(#""n":1e400"#, to: kind), false),
            ("30 digits", adding(#""n":123456789012345678901234567890"#, to: kind), true),
            ("half a pair", adding(#""n":"\ud800""#, to: kind), false),
            ("depth", adding("\"n\":\(String(repeating: "[", count: 1_000_000))", to: kind), false),
            ("depth with ends", adding("\"n\":\(deep(100_000))", to: kind), false),
            ("many members", adding(members(100_000), to: kind), true),
            ("year 99999", adding(dates("99999-01-01T00:00:00Z"), to: kind), true),
            ("month 13", adding(dates("2026-13-01T00:00:00Z"), to: kind), true),
        ]
        let invalid = Data(adding(#""n":"\#u{1}""#, to: kind).utf8.map { $0 == 1 ? 0xFF : $0 })
        let wide = [String.Encoding.utf16LittleEndian, .utf16BigEndian].map { good.data(using: $0) ?? Data() }
        return texts.map { ($0, Data($1.utf8), $2) } + [("no UTF-8", invalid, false)]
            + wide.map { ("UTF-16", $0, false) }
    }

    private static func deep(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static func members(_ count: Int) -> String {
        // No member of their own begins so.
        (0..<count).map { "\"_\(String($0, radix: 36))\":0" }.joined(separator: ",")
    }

    /// Whatever they are called somewhere.
    private static func dates(_ date: String) -> String {
        ["createdAt", "updatedAt", "date_joined", "expiresAt", "_created"].map { "\"\($0)\":\"\(date)\"" }
            .joined(separator: ",")
    }

    /// One of each sort goes through every backend; the rest is the transport's.
    private static func framings(of kind: ServerKind) -> [Case] {
        let good = Operation.login.goodBody(of: kind)
        let length = "Content-Length: \(good.utf8.count)"
        return [
            Case(
                name: "interim answers",
                answer: [
                    .repeating("HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n", count: 1000),
                    .send("\(head)\(length)\r\n\r\n\(good)"),
                ], isTaken: true),
            Case(
                name: "no CR", answer: [.send("HTTP/1.1 200 OK\nContent-Type: application/json\n\(length)\n\n\(good)")],
                isTaken: true),
            Case(
                name: "two lengths", answer: [.send("\(head)\(length)\r\nContent-Length: 2\r\n\r\n\(good)"), .close],
                isTaken: false),
            Case(
                name: "length and chunks",
                answer: [.send("\(head)\(length)\r\nTransfer-Encoding: chunked\r\n\r\n\(good)"), .close],
                isTaken: false),
            Case(name: "line that goes on", answer: [.send("\(head) b\r\n\(length)\r\n\r\n\(good)")], isTaken: false),
        ]
    }

    @Test(arguments: ServerKind.allCases)
    func `what is not clear is broken, and no session`(kind: ServerKind) throws {
        let documents = Self.documents(of: kind).map { name, body, isTaken in
            Case(name: name, answer: Self.answer(body), isTaken: isTaken)
        }
        let cases = documents + Self.framings(of: kind)
        // A log-in may ask who it is that has logged in.
        let user = "/api\(Operation.whoami.path(at: kind))"
        let server = try ScriptedServer(
            cases.map { .init(["*": [$0.answer], user: [Operation.whoami.goodAnswer(of: kind)]]) })
        try run(cases) { number, one in
            let url = server.url("/api", host: "localhost", listener: number)
            return try OperationRun(.login, at: url, name: one.name, kind: kind)
        } then: { number, one, run in
            if one.isTaken {
                try run.success()
                #expect(try run.world.text(run.world.sessionFile()).contains("canary-new"), "\(one.name)")
            } else if kind == .restAuth, one.name == Self.noToken {
                // A site may answer so that keeps its sessions in cookies.
                try run.failure(10, "unsupported")
            } else {
                try run.failure(8, "broken-answer")
            }
            #expect(server.requests.to(number).count { $0.target != user } == 1, "\(one.name)")
        }
    }
}

extension ServerKind {
    /// What the token of a log-in is called.
    fileprivate var tokenMember: String {
        switch self {
        case .parse: "sessionToken"
        case .restAuth: "key"
        case .allauth: "session_token"
        case .kii: "access_token"
        }
    }
}
