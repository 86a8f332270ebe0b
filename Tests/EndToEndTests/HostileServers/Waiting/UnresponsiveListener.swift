import Foundation

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
