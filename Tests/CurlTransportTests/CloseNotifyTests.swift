import CurlTransport
import TestSupport
import Testing
import Transport

/// Whether an answer in TLS came to its end: where nothing else tells, the server has to say so.
///
/// Only OpenSSL tells whether it did.
#if os(Linux)
    @Suite struct CloseNotifyTests {
        private static let certificate = TestAuthority.path("good")
        private static let head = "HTTP/1.1 200 OK\r\n"

        private static func isCutOff(_ failure: TransportError?) -> Bool {
            failure?.kind == .brokenAnswer && failure?.message.hasSuffix(" is cut off") == true
        }

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
        func `is needed where nothing else is the end`(text: String, method: HTTPRequest.Method, isWhole: Bool) throws {
            for end in [ScriptedServer.Step.close, .closeNotify] {
                let server = try ScriptedServer([.init(["/": [[.send(text), end]]], certificate: Self.certificate)])
                let failure = LibcurlTransport.impatient(authorities: TestAuthority.file)
                    .failure(HTTPRequest(method, server.url("/", scheme: "https"), isRepeatable: false))
                if case .close = end, !isWhole {
                    #expect(Self.isCutOff(failure), "\(text)")
                } else {
                    #expect(failure == nil, "\(text)")
                }
            }
        }

        @Test func `is seen on a connection that is used again`() throws {
            for (end, isWhole) in [(ScriptedServer.Step.close, false), (.closeNotify, true)] {
                let routes: [String: [ScriptedServer.Answer]] = [
                    "/": [.answer("200 OK", [], "ok")], "/last": [[.send("\(Self.head)\r\nok"), end]],
                ]
                let server = try ScriptedServer([.init(routes, certificate: Self.certificate)])
                let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
                #expect(transport.failure(HTTPRequest(.get, server.url("/", scheme: "https"))) == nil)
                let failure = transport.failure(HTTPRequest(.get, server.url("/last", scheme: "https")))
                #expect(isWhole ? failure == nil : Self.isCutOff(failure))
                #expect(server.connections() == 1)
            }
        }

        /// The proxy says its own when the server has gone.
        @Test func `that of a proxy is not that of the server`() throws {
            for (end, isWhole) in [(ScriptedServer.Step.close, false), (.closeNotify, true)] {
                let tunnel: ScriptedServer.Answer = [.send("\(Self.head)\r\n"), .tunnel(1)]
                let servers = try ScriptedServer([
                    .init(["CONNECT": [tunnel]], certificate: Self.certificate),
                    .init(["/": [[.send("\(Self.head)\r\nok"), end]]], certificate: Self.certificate),
                ])
                let transport = LibcurlTransport.impatient(
                    authorities: TestAuthority.file, proxy: "https://localhost:\(servers.ports[0])")
                let failure = transport.failure(HTTPRequest(.get, "https://account.test/"))
                #expect(isWhole ? failure == nil : Self.isCutOff(failure))
                #expect(servers.requests.count == 2)
            }
        }
    }
#endif
