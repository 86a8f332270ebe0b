import Foundation
import TestSupport

/// A host with two addresses, the first of which does not respond to connection attempts.
@Suite(.mostlyWaits, .keepsInvariants) struct UnresponsiveAddressTests {
    @Test func `an unresponsive first address delays the connection to the second address only briefly`() throws {
        let server = try ScriptedServer(["*": [ParseSession.user]])
        let deaf = try UnresponsiveListener(port: server.ports[0])
        defer { deaf.stop() }
        let world = Sandbox()
        // Waiting for the first address to time out would take 30 seconds, half of the time limit.
        let start = ContinuousClock.now
        let whoami = try world.run(
            "whoami", "--connect-timeout", "60", "--timeout", "60",
            environment: ParseSession.environment(at: server.url("/parse", host: "localhost")))
        expect(whoami.exitCode, 0, "\(whoami.stderr)")
        #expect(ContinuousClock.now - start < .seconds(15))
        // This request proves that the first address does not respond.
        let first = try world.run(
            "whoami", "--json", "--timeout", "1",
            environment: ParseSession.environment(at: server.url("/parse", host: "[::1]")))
        try expect(first.document().object("error").string("reason"), "timeout")
    }
}

/// Listens on ::1 with a full connection queue, so that the kernel does not respond to further connection attempts.
struct UnresponsiveListener {
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
        let listener = socket(AF_INET6, streamSocket, 0)
        guard call(bind, listener) == 0, listen(listener, 0) == 0 else { throw POSIXError(.EADDRINUSE) }
        let callers = (0..<8).map { _ in socket(AF_INET6, streamSocket, 0) }
        for caller in callers {
            _ = fcntl(caller, F_SETFL, O_NONBLOCK)
            _ = call(connect, caller)
        }
        sockets = [listener] + callers
    }

    func stop() { for socket in sockets { close(socket) } }
}

/// `SOCK_STREAM`, which is an enumeration on Linux.
let streamSocket: Int32 = {
    #if os(Linux)
        Int32(SOCK_STREAM.rawValue)
    #else
        SOCK_STREAM
    #endif
}()
