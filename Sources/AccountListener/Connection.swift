import CLibevent
import LibC
import Platform
import Transport

/// A client's connection: its state, and the time of the last change.
///
/// The bytes of a request are checked here before libevent parses them.
final class Connection {
    enum State {
        /// Nothing of the next request has arrived.
        case idle
        /// A part of the next request has arrived.
        case receiving
        case answering(Exchange)
        case sending
        /// The request was answered with an error before libevent parsed it; all further bytes are discarded.
        case rejected
        /// The connection was shut down; all further bytes are discarded.
        case shutDown
    }

    let stream: OpaquePointer
    private(set) var state = State.idle
    private(set) var since = monotonicNow()
    /// The bytes of the request that have arrived, and of the response, until the response is sent.
    private(set) var size = 0
    private var head = RequestHead()
    private let listener: UnsafeMutableRawPointer
    private let log: ((String) -> Void)?
    /// Whether all clients together have sent too much.
    private let isMemoryFull: () -> Bool
    /// The bytes that may arrive before the response to the request before them is sent.
    private static let mostPipelined = 64 << 10

    /// Raises the reference count of the stream, so that it can be inspected after libevent has released it.
    ///
    /// - Parameters:
    ///   - listener: the context of `connectionClosed`.
    ///   - log: called if a request is rejected.
    ///   - isMemoryFull: called for each part of a request of more than 4 KiB; if it returns true, the request gets
    ///     status 503.
    init(
        _ stream: OpaquePointer, listener: UnsafeMutableRawPointer, log: ((String) -> Void)?,
        isMemoryFull: @escaping () -> Bool
    ) {
        self.stream = stream
        self.listener = listener
        self.log = log
        self.isMemoryFull = isMemoryFull
        bufferevent_incref(stream)
        evbuffer_add_cb(bufferevent_get_input(stream), bytesReceived, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        evbuffer_remove_cb(bufferevent_get_input(stream), bytesReceived, Unmanaged.passUnretained(self).toOpaque())
        bufferevent_decref(stream)
    }

    /// Whether libevent has freed the connection: it clears the callbacks then.
    var isReleased: Bool {
        var callback: bufferevent_event_cb?
        bufferevent_getcb(stream, nil, nil, &callback, nil)
        return callback == nil
    }

    var exchange: Exchange? {
        if case .answering(let exchange) = state { exchange } else { nil }
    }

    /// Whether further requests have arrived behind the current one.
    var hasPipelinedRequest: Bool { evbuffer_get_length(bufferevent_get_input(stream)) > 0 }

    private func change(to state: State) {
        self.state = state
        since = monotonicNow()
    }

    /// A request is complete.
    func begin(_ exchange: Exchange) {
        change(to: .answering(exchange))
    }

    /// Notices if the client disconnects before the response. libevent itself stops reading until then.
    func watchForDisconnect() {
        var (written, event): (bufferevent_data_cb?, bufferevent_event_cb?)
        var context: UnsafeMutableRawPointer?
        bufferevent_getcb(stream, nil, &written, &event, &context)
        // libevent ends the process if it is asked to parse a request now.
        bufferevent_setcb(stream, nil, written, event, context)
        bufferevent_enable(stream, Int16(EV_READ))
    }

    /// Whether bytes or the end of the connection have arrived that the event loop has not read yet.
    var isReadable: Bool { Platform.isReadable(bufferevent_getfd(stream)) }

    /// Whether the client has disconnected, even if the event loop has not read it yet.
    var isClosedByPeer: Bool { Platform.isClosedByPeer(bufferevent_getfd(stream)) }

    /// Sends the response at once. libevent would first wait until the system reports that it may write, which takes two
    /// more system calls and a round of the event loop.
    func sendNow() {
        let output = bufferevent_get_output(stream)
        evbuffer_unfreeze(output, 1)
        _ = evbuffer_write(output, bufferevent_getfd(stream))
        evbuffer_freeze(output, 1)
        // libevent sends the rest of a long response, and handles errors.
        guard evbuffer_get_length(output) == 0 else { return }
        bufferevent_disable(stream, Int16(EV_WRITE))
        bufferevent_trigger(stream, Int16(EV_WRITE), Int32(BEV_OPT_DEFER_CALLBACKS.rawValue))
    }

    /// - Parameter count: the bytes of the response.
    func sendingBegins(_ count: Int) {
        change(to: .sending)
        size += count
    }

    /// The response was sent; a pipelined request may be waiting.
    func responseSent(_ request: OpaquePointer) {
        let input = bufferevent_get_input(stream)
        if hasPipelinedRequest, isLast(request) { evbuffer_drain(input, evbuffer_get_length(input)) }
        change(to: .idle)
        head = RequestHead()
        size = 0
        if hasPipelinedRequest { received(evbuffer_get_length(input), in: input) }
    }

    /// Whether libevent closes the connection after the response. The client would take an error for the bytes behind
    /// the request as a part of the response.
    private func isLast(_ request: OpaquePointer) -> Bool {
        func connection(_ headers: UnsafeMutablePointer<evkeyvalq>?) -> String? {
            evhttp_find_header(headers, "Connection").map { String(cString: $0).lowercased() }
        }
        let sent = connection(evhttp_request_get_input_headers(request))
        if head.isHTTP10, sent?.hasPrefix("keep-alive") != true { return true }
        return sent == "close" || connection(evhttp_request_get_output_headers(request)) == "close"
    }

    /// - Parameter count: the number of new bytes at the end of the buffer.
    fileprivate func received(_ count: Int, in input: OpaquePointer?) {
        switch state {
        case .idle:
            change(to: .receiving)
            reportClosing()
            check(count, in: input)
        case .receiving: check(count, in: input)
        case .answering, .sending:
            // libevent reads again after the response.
            if evbuffer_get_length(input) > Self.mostPipelined { bufferevent_disable(stream, Int16(EV_READ)) }
        case .rejected, .shutDown: evbuffer_drain(input, evbuffer_get_length(input))
        }
    }

    /// Calls `connectionClosed` before libevent closes the connection. Otherwise the stream would still have events for
    /// the descriptor when another connection gets the same number, and that connection would get no events.
    private func reportClosing() {
        // The context of the callbacks is the connection. No function returns it before the request is complete.
        var connection: UnsafeMutableRawPointer?
        bufferevent_getcb(stream, nil, nil, nil, &connection)
        evhttp_connection_set_closecb(connection.map { OpaquePointer($0) }, connectionClosed, listener)
    }

    private func check(_ count: Int, in input: OpaquePointer?) {
        size += count
        if size > 4096, isMemoryFull() { return reject(.unavailable) }
        guard !head.isComplete else { return }
        var start = evbuffer_ptr()
        evbuffer_ptr_set(input, &start, evbuffer_get_length(input) - count, EVBUFFER_PTR_SET)
        let pieces = evbuffer_peek(input, count, &start, nil, 0)
        let fault = withUnsafeTemporaryAllocation(of: iovec.self, capacity: Int(pieces)) {
            pieces -> RequestHead.Fault? in
            evbuffer_peek(input, count, &start, pieces.baseAddress, Int32(pieces.count))
            for piece in pieces {
                let bytes = UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len)
                if let fault = head.read(bytes) { return fault }
            }
            return nil
        }
        if let fault { reject(.rejection(fault)) }
    }

    /// Sends an error and closes the connection, without libevent, which must not see the rest of the request.
    func reject(_ response: HTTPResponse) {
        change(to: .rejected)
        log?("incomplete or malformed request \(response.status)")
        let descriptor = bufferevent_getfd(stream)
        // Earlier responses have left libevent's buffer. If the system has no space for this one, the client reads slowly.
        let text = head.isHead ? response.withoutBody : response
        text.bytes.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
        // The connection closes when the client closes it. With unread bytes, closing it now could discard the error.
        shutdownWriting(descriptor)
        let input = bufferevent_get_input(stream)
        evbuffer_drain(input, evbuffer_get_length(input))
    }

    /// libevent then reads end-of-file and frees the connection.
    func shutDown() {
        change(to: .shutDown)
        shutdownSocket(bufferevent_getfd(stream))
    }
}

private func bytesReceived(
    _ buffer: OpaquePointer?, _ change: UnsafePointer<evbuffer_cb_info>?, _ context: UnsafeMutableRawPointer?
) {
    guard let context, let count = change?.pointee.n_added, count > 0 else { return }
    Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().received(count, in: buffer)
}
