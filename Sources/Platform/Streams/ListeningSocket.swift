internal import LibC

/// A socket that listens on an address.
package struct ListeningSocket {
    package let address: IPAddress
    package let number: Int32
    package let port: Int

    /// - Parameters:
    ///   - port: 0 selects any free port.
    ///   - waitingConnections: the maximum number of connections that wait to be accepted.
    /// - Returns: `nil` on failure, with the reason in `errno`.
    package init?(_ address: IPAddress, port: Int, waitingConnections: Int32) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.text, String(port), &hints, &found) == 0, let place = found?.pointee else {
            errno = EADDRNOTAVAIL
            return nil
        }
        defer { freeaddrinfo(found) }
        self.address = address
        number = LibC.socket(place.ai_family, place.ai_socktype, place.ai_protocol)
        guard number >= 0 else { return nil }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        // `accept` must not block if the client has already closed its connection.
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        var isOn: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        guard bind(number, place.ai_addr, place.ai_addrlen) == 0, listen(number, waitingConnections) == 0
        else {
            let failure = errno
            close(number)
            errno = failure
            return nil
        }
        // An IPv6 address does not fit into `sockaddr_in`, but its port has the same offset.
        var own = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &own) { [number] own in
            own.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(number, $0, &size) }
        }
        self.port = Int(UInt16(bigEndian: own.sin_port))
    }
}
