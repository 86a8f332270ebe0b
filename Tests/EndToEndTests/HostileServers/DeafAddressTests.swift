import Foundation
import TestSupport
import Testing

/// A host of two addresses, of which the first one takes no connection and does not say so.
@Suite(.keepsInvariants) struct DeafAddressTests {
    /// Listens at ::1 with a full queue until it is closed: the system leaves further calls unanswered.
    private struct DeafListener {
        private let sockets: [Int32]

        init(port: Int) throws {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            address.sin6_addr = in6addr_loopback
            func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32) -> Int32 {
                withUnsafeBytes(of: &address) {
                    function(socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
                }
            }
            let stream = Int32(SOCK_STREAM.rawValue)
            let listener = socket(AF_INET6, stream, 0)
            guard call(bind, listener) == 0, listen(listener, 0) == 0 else { throw POSIXError(.EADDRINUSE) }
            let callers = (0..<8).map { _ in socket(AF_INET6, stream | Int32(SOCK_NONBLOCK.rawValue), 0) }
            for caller in callers { _ = call(connect, caller) }
            sockets = [listener] + callers
        }

        func close() { for socket in sockets { Glibc.close(socket) } }
    }

    @Test func `the other one is tried soon`() throws {
        let server = try ScriptedServer(["*": [Deed.whoami.goodAnswer]])
        let deaf = try DeafListener(port: server.ports[0])
        defer { deaf.close() }
        try Attempt(.whoami, at: server.url("/parse", host: "localhost")).success(within: .seconds(3))
        #expect(server.requests.count == 1)
        // Nobody answers there, so that this is not a listener like any other.
        let message = try Attempt(.whoami, at: server.url("/parse", host: "[::1]"), ["--timeout", "1"])
            .failure(8, "timeout").string("message")
        #expect(message?.hasPrefix("no connection to '[::1]:\(server.ports[0])' within ") == true)
    }
}
