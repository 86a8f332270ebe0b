import CurlTransport
import TestSupport
import Testing
import Transport

/// TLS responses without a length, which end when the connection closes. Only the server's close_notify proves that
/// they are complete, and authctl detects close_notify only if libcurl uses OpenSSL, as on Linux.
#if os(Linux)
    @Suite struct CloseNotifyTests {
        private static let certificate = TestAuthority.path("good")
        private static let head = "HTTP/1.1 200 OK\r\n"

        @Test(
            arguments: [
                ("\(head)\r\nok", .get, false), ("\(head)Connection: close\r\n\r\n", .get, false),
                ("\(head)Transfer-Encoding: identity\r\n\r\nok", .get, false),
                ("HTTP/1.1 205 Reset Content\r\n\r\n", .get, false),
                ("\(head)Content-Length: 2\r\n\r\nok", .get, true),
                ("\(head)Transfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", .get, true),
                ("HTTP/1.1 204 No Content\r\n\r\n", .get, true), ("HTTP/1.1 304 Not Modified\r\n\r\n", .get, true),
                ("\(head)\r\n", .head, true),
            ] as [(String, HTTPRequest.Method, Bool)])
        func `a TLS response that ends when the connection closes is rejected if close_notify is missing`(
            text: String, method: HTTPRequest.Method, isWhole: Bool
        ) throws {
            for end in [ScriptedServer.Step.close, .closeNotify] {
                let server = try ScriptedServer([.init(["/": [[.send(text), end]]], certificate: Self.certificate)])
                let failure = LibcurlTransport.impatient(authorities: TestAuthority.file)
                    .failure(HTTPRequest(method, server.url("/", scheme: "https"), isIdempotent: false))
                if case .close = end, !isWhole {
                    #expect(failure?.kind == .invalidResponse, "\(text)")
                    try #require(failure).expectMessage()
                } else {
                    #expect(failure == nil, "\(text)")
                }
            }
        }

        @Test func `close_notify is also required on a reused TLS connection`() throws {
            for (end, isWhole) in [(ScriptedServer.Step.close, false), (.closeNotify, true)] {
                let routes: [String: [ScriptedServer.Answer]] = [
                    "/": [.answer("200 OK", [], "ok")], "/last": [[.send("\(Self.head)\r\nok"), end]],
                ]
                let server = try ScriptedServer([.init(routes, certificate: Self.certificate)])
                let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
                #expect(transport.failure(HTTPRequest(.get, server.url("/", scheme: "https"))) == nil)
                let failure = transport.failure(HTTPRequest(.get, server.url("/last", scheme: "https")))
                #expect(failure?.kind == (isWhole ? nil : .invalidResponse))
                #expect(server.connections() == 1)
            }
        }

        /// The proxy sends its own close_notify after the server has closed the connection.
        @Test func `a proxy's close_notify does not replace the server's close_notify`() throws {
            for (end, isWhole) in [(ScriptedServer.Step.close, false), (.closeNotify, true)] {
                let tunnel: ScriptedServer.Answer = [.send("\(Self.head)\r\n"), .tunnel(1)]
                let servers = try ScriptedServer([
                    .init(["CONNECT": [tunnel]], certificate: Self.certificate),
                    .init(["/": [[.send("\(Self.head)\r\nok"), end]]], certificate: Self.certificate),
                ])
                let transport = LibcurlTransport.impatient(
                    authorities: TestAuthority.file, proxy: "https://localhost:\(servers.ports[0])")
                let failure = transport.failure(HTTPRequest(.get, "https://account.test/"))
                #expect(failure?.kind == (isWhole ? nil : .invalidResponse))
                #expect(servers.requests.count == 2)
            }
        }
    }
#endif
