import CurlTransport
import Foundation
import TestSupport
import Testing
import Transport

/// Answers that cannot be one, and those that only look so.
@Suite struct AnswerTests {
    private static let head = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "\(head)Transfer-Encoding: chunked\r\n"

    private func outcome(
        of steps: [ScriptedServer.Step], _ method: HTTPRequest.Method = .get
    ) throws -> (response: HTTPResponse?, failure: TransportError?) {
        let server = try ScriptedServer(["/": [.init(when: .request, steps)]])
        let request = HTTPRequest(method, server.url("/"), isRepeatable: false)
        do throws(TransportError) {
            let response = try LibcurlTransport.impatient().send(request)
            return (response, nil)
        } catch {
            #expect(server.requests.count == 1)
            return (nil, error)
        }
    }

    /// What a refused answer is said to be, without its subject.
    private func complaint(_ steps: ScriptedServer.Step...) throws -> String {
        let failure = try #require(try outcome(of: steps).failure)
        #expect(failure.kind == .brokenAnswer)
        #expect(failure.wasSent)
        #expect(failure.message.hasPrefix("the answer of '127.0.0.1:"))
        return failure.message.split(separator: "' ", maxSplits: 1).last.map(String.init) ?? ""
    }

    @Test func `refuses more than 1 MiB, however it comes`() throws {
        let large = "is larger than 1 MiB"
        #expect(try complaint(.send("\(Self.head)Content-Length: 10000000000\r\n\r\n"), .stall) == large)
        #expect(try complaint(.send("\(Self.head)\r\n"), .repeating("a")) == large)
        #expect(try complaint(.send("\(Self.chunked)\r\n"), .repeating("5\r\nabcde\r\n")) == large)
        let megabyte = 1 << 20
        #expect(
            try complaint(
                .send("\(Self.head)Content-Length: \(megabyte + 1)\r\n\r\n"), .repeating("a", count: megabyte + 1))
                == large)
        let whole = try outcome(of: [
            .send("\(Self.head)Content-Length: \(megabyte)\r\n\r\n"), .repeating("a", count: megabyte),
        ])
        #expect(whole.response?.body.count == megabyte)
    }

    @Test(arguments: [["gzip"], ["deflate"], ["gzip", "gzip"], ["deflate", "gzip"]])
    func `refuses a bomb after its first megabyte`(encodings: [String]) throws {
        let head = "\(Self.chunked)Content-Encoding: \(encodings.joined(separator: ", "))\r\n\r\n"
        #expect(try complaint(.send(head), .bomb(encodings)) == "is larger than 1 MiB")
    }

    @Test func `decodes a body`() throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWKkktLlGyUiopKk1VqgUAQ/zdGQ8AAAA="))
        let outcome = try outcome(of: [
            .send("\(Self.head)Content-Encoding: gzip\r\nContent-Length: \(zipped.count)\r\n\r\n"), .sendBytes(zipped),
        ])
        #expect(outcome.response?.body.text == #"{"test":"true"}"#)
    }

    @Test func `refuses an encoding that is none`() throws {
        let head = "\(Self.head)Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n"
        #expect(try complaint(.send("\(head)hello")) == "has an encoding that cannot be read")
        let other = "\(Self.head)Content-Encoding: rot13\r\nContent-Length: 5\r\n\r\n"
        #expect(try complaint(.send("\(other)hello")) == "has an encoding that cannot be read")
    }

    @Test func `refuses endless headers`() throws {
        let large = "has a header larger than 256 KiB"
        #expect(try complaint(.send(Self.head), .repeating("X-A: b\r\n")) == large)
        #expect(try complaint(.repeating("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n")) == large)
        #expect(try complaint(.send(Self.chunked + "\r\n5\r\nhello\r\n0\r\n"), .repeating("X-A: b\r\n")) == large)
        // libcurl itself reads no line of more than 100 KiB.
        #expect(try complaint(.send("\(Self.head)X-A: "), .repeating("b")) == "has an endless line")
    }

    @Test func `refuses what comes for ever and never becomes a body`() throws {
        let large = "is larger than 1 MiB"
        #expect(try complaint(.send("\(Self.chunked)\r\n1;"), .repeating("a")) == large)
        let emptyBlocks = Data([0, 0, 0, 0xFF, 0xFF])
        let blocks = (0..<1000).reduce(into: Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])) { all, _ in all += emptyBlocks
        }
        let steps = [ScriptedServer.Step](repeating: .sendBytes(blocks.dropFirst(10)), count: 4000)
        let head = "\(Self.head)Content-Encoding: gzip\r\n\r\n"
        #expect(try outcome(of: [.send(head), .sendBytes(blocks)] + steps).failure?.message.hasSuffix(large) == true)
    }

    @Test func `takes a body in many small pieces`() throws {
        let piece = "1;\(String(repeating: "a", count: 40))\r\na\r\n"
        let outcome = try outcome(of: [
            .send("\(Self.chunked)\r\n"), .repeating(piece, count: 100_000), .send("0\r\n\r\n"),
        ])
        #expect(outcome.response?.body.count == 100_000)
    }

    @Test func `passes over interim answers`() throws {
        let interim = "HTTP/1.1 100 Continue\r\nX-Interim: a\r\n\r\n"
        let outcome = try outcome(of: [
            .repeating(interim, count: 1000), .send("\(Self.head)X-A: b\r\nContent-Length: 2\r\n\r\nok"),
        ])
        #expect(outcome.response?.body.text == "ok")
        #expect(outcome.response?.headers["X-Interim"] == nil)
        #expect(outcome.response?.headers["X-A"] == "b")
    }

    @Test func `passes over what stands after the body`() throws {
        let outcome = try outcome(of: [.send("\(Self.chunked)\r\n2\r\nok\r\n0\r\nX-After: a\r\n\r\n")])
        #expect(outcome.response?.body.text == "ok")
        #expect(outcome.response?.headers["X-After"] == nil)
    }

    @Test func `takes lines without CR, and odd values`() throws {
        let outcome = try outcome(of: [
            .send("HTTP/1.1 200 OK\nContent-Length:2\nX-A:  \u{1B}[31m \u{E9}  \nX-B:\n\nok")
        ])
        #expect(outcome.response?.body.text == "ok")
        #expect(outcome.response?.headers["X-A"] == "\u{1B}[31m \u{E9}")
        #expect(outcome.response?.headers["X-B"] == "")
    }

    @Test(arguments: [
        "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2, 3",
        "Content-Length: 2\r\nTransfer-Encoding: chunked",
    ])
    func `refuses a length given in two ways`(fields: String) throws {
        #expect(try complaint(.send("\(Self.head)\(fields)\r\n\r\nok"), .close) == "gives its length in two ways")
    }

    @Test func `takes the same length twice`() throws {
        let outcome = try outcome(of: [.send("\(Self.head)Content-Length: 2\r\nContent-Length: 2\r\n\r\nok")])
        #expect(outcome.response?.body.text == "ok")
    }

    @Test(arguments: [
        "hello\r\n", "HTTP/0.9 200 OK\r\n\r\n", "HTTP/1.1 999 No\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 600 No\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 099 No\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "HTTP/1.1 200 OK\r\nhello\r\n\r\n", "HTTP/1.1 200 OK\r\n: a\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\rContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 2 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551618\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokXX0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\n\r\n", "http/1.1 200 OK\r\n\r\n", "HTTP/1.2 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "ICY 200 OK\r\n\r\n", "\0\0\u{12}\u{4}\0\0\0\0\0",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "{\"sessionToken\":\"r:1\"}",
    ])
    func `refuses what is not HTTP`(text: String) throws {
        let failure = try outcome(of: [.send(text), .close]).failure
        #expect(failure?.kind == .brokenAnswer, "\(failure?.message ?? "taken")")
        #expect(failure?.wasSent == true)
    }

    /// Where a connection can break off, and whether something of the answer was there.
    @Test(arguments: [
        ("", false), ("HTT", false), ("HTTP/1.1 200", false), ("HTTP/1.1 200 OK\r\nX-A: b\r\nX-", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nha", true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", true),
    ])
    func `tells of an answer that is cut off`(text: String, hasBegun: Bool) throws {
        for end in [ScriptedServer.Step.close, .reset] {
            let failure = try outcome(of: [.send(text), .pause(0.02), end], .post).failure
            #expect(failure?.wasSent == true)
            #expect([.connect, .brokenAnswer].contains(failure?.kind))
            if text.isEmpty { #expect(failure?.kind == .connect) }
            if hasBegun { #expect(failure?.kind == .brokenAnswer, "\(text): \(failure?.message ?? "taken")") }
        }
    }

    @Test func `tells of a request that was cut off`() throws {
        for end in [ScriptedServer.Step.close, .reset] {
            for count in [10, 120, 100_000] {
                let server = try ScriptedServer(["*": [.init(when: .bytes(count), [end])]])
                let body = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
                let request = HTTPRequest(.post, server.url("/"), body: body)
                let failure = LibcurlTransport.impatient().failure(request)
                #expect(failure?.kind == .connect)
                #expect(failure?.wasSent == true)
                #expect(failure?.message == "'127.0.0.1:\(server.ports[0])' closed the connection without an answer")
                #expect(server.connections() == 1)
            }
        }
    }

    @Test func `takes an answer without a length up to its end`() throws {
        #expect(try outcome(of: [.send("HTTP/1.0 200 OK\r\n\r\nok"), .close]).response?.body.text == "ok")
    }

    @Test func `takes the head of a large answer for one without a body`() throws {
        let outcome = try outcome(of: [.send("\(Self.head)Content-Length: 9999999\r\n\r\n")], .head)
        #expect(outcome.response?.headers["Content-Length"] == "9999999")
        #expect(outcome.response?.body.isEmpty == true)
    }
}
