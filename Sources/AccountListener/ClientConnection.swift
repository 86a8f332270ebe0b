import AccountServer
import LibC
import Platform
import Transport

/// Serves one client's connection on a separate thread. The thread reads a request, sends the response, and waits for
/// the next request.
final class ClientConnection {
    private let socket: Int32
    private let service: HTTPService
    private var reader = RequestReader()
    /// The end of the time limit for the current step: waiting for a request, reading its head or body, sending the
    /// response, or waiting for the client to close the connection.
    private var deadline = Duration.zero
    /// The body or response bytes transferred since the deadline was set. Each 16 KiB extends it by one second.
    private var moved = 0

    /// Starts a thread that serves the client and then closes the socket.
    ///
    /// - Returns: `false` if the thread cannot be started.
    static func serve(_ socket: Int32, by service: HTTPService) -> Bool {
        NativeThread.start(stackSize: ListenerSettings.stackSize) {
            ClientConnection(socket: socket, service: service).serve()
            service.connections.closed(socket)
            close(socket)
        }
    }

    private init(socket: Int32, service: HTTPService) {
        self.socket = socket
        self.service = service
        var patience = timeval()
        patience.tv_sec = numericCast(ListenerSettings.patience.components.seconds)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    private func serve() {
        do throws(RequestReader.Failure) {
            while true {
                begin(isIdle: true)
                let head = try readHead()
                begin(isIdle: false)
                let isLast = try respond(to: head)
                if isLast || service.connections.areEnding && reader.count == 0 && !isReadable(socket) {
                    return end(with: [])
                }
            }
        } catch {
            switch error {
            case .ended: break
            case .fault(let fault): end(with: service.rejection(fault).bytes(isLast: true))
            }
        }
    }

    private func begin(isIdle: Bool) {
        service.connections.enter(isIdle: isIdle, socket)
        restartDeadline()
    }

    private func restartDeadline() {
        (deadline, moved) = (monotonicNow() + ListenerSettings.patience, 0)
    }

    // MARK: - Reading

    private func readHead() throws(RequestReader.Failure) -> RequestHead {
        // Restart the deadline when the first bytes of a request arrive on an idle connection.
        if reader.count == 0 {
            try reader.receive(receiveFirst)
            restartDeadline()
        }
        return try reader.head(receive)
    }

    private func readBody(of head: RequestHead) throws(RequestReader.Failure) -> [UInt8] {
        if reader.hasBody(of: head) { return try reader.body(of: head, receive) }
        if head.expectsContinue, reader.count == 0 { try write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        return try reader.body(of: head) { bytes throws(RequestReader.Failure) in
            let before = bytes.count
            try receive(&bytes)
            moved += bytes.count - before
        }
    }

    /// Waits for more bytes and appends them.
    private func receive(_ bytes: inout [UInt8]) throws(RequestReader.Failure) {
        while true {
            try wait(for: POLLIN)
            if try read(&bytes, Int32(MSG_DONTWAIT)) { return }
        }
    }

    /// Appends the first bytes of a request. The socket's receive timeout limits the wait, so `poll` is not needed.
    /// That saves one of three system calls per request.
    private func receiveFirst(_ bytes: inout [UInt8]) throws(RequestReader.Failure) {
        while try !read(&bytes, 0) { if monotonicNow() >= deadline { throw .ended } }
    }

    /// - Returns: `false` if no bytes arrived in time, or if a signal interrupted the call.
    private func read(_ bytes: inout [UInt8], _ flags: Int32) throws(RequestReader.Failure) -> Bool {
        let count = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            let count = recv(socket, buffer.baseAddress, buffer.count, flags)
            if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
            return count
        }
        guard count > 0 || count < 0 && [EAGAIN, EINTR].contains(Errno.current.code) else { throw .ended }
        return count > 0
    }

    /// Waits until the socket is ready for the event (`POLLIN` or `POLLOUT`).
    ///
    /// - Throws: `ended` if the deadline passes first, if nothing happens for `patience`, or if `poll` fails.
    private func wait(for event: Int32) throws(RequestReader.Failure) {
        let end = min(deadline + .seconds(moved >> 14), monotonicNow() + ListenerSettings.patience)
        while true {
            let left = end - monotonicNow()
            guard left > .zero else { throw .ended }
            var waiting = pollfd(fd: socket, events: Int16(event), revents: 0)
            let count = poll(&waiting, 1, Int32(left.milliseconds + 1))
            if count > 0 { return }
            if count < 0, Errno.current.code != EINTR { throw .ended }
        }
    }

    // MARK: - Writing

    /// - Returns: whether the response was the last on the connection.
    private func respond(to head: RequestHead) throws(RequestReader.Failure) -> Bool {
        var body = try readBody(of: head)
        var response = service.answer(head, body) { [socket] in isClosedByPeer(socket) }
        let (size, isLast) = (
            response.body.count, !head.keepsConnection || service.connections.areEnding && reader.count == 0
        )
        defer { service.connections.unqueue(size) }
        let bytes = response.bytes(isLast: isLast, isHTTP10: head.line.isHTTP10)
        // Keep only these bytes while the client reads.
        (body, response.body) = ([], [])
        restartDeadline()
        try write(bytes)
        return isLast
    }

    private func write(_ bytes: [UInt8]) throws(RequestReader.Failure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                LibC.send(socket, bytes.baseAddress! + start, bytes.count - start, Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                start += count
                moved += count
            } else if [EAGAIN, EINTR].contains(Errno.current.code) {
                try wait(for: POLLOUT)
            } else {
                throw .ended
            }
        }
    }

    /// Sends the last bytes, then reads and discards input until the client closes the connection, at most for
    /// `lingerTime`. If the socket were closed with unread input, the last bytes could be lost.
    private func end(with last: [UInt8]) {
        begin(isIdle: true)
        do throws(RequestReader.Failure) {
            try write(last)
            shutdownWriting(socket)
            deadline = monotonicNow() + ListenerSettings.lingerTime
            while true {
                var rest: [UInt8] = []
                try receive(&rest)
            }
        } catch {}
    }
}
