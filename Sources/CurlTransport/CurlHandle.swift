import CLibcurl
import LibC

/// One of libcurl's easy handles, with the connections that it keeps.
final class CurlHandle {
    private let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    /// The first option that libcurl refused since the last `reset`, with its reason: a request must not go without it.
    private(set) var refusal: (option: libcurl_option, code: Int32)?

    /// - Returns: `nil` if there is no memory.
    init?() {
        guard let easy = libcurl_easy_init() else { return nil }
        self.easy = easy
        errorText = .allocate(capacity: 256)
        errorText.initialize(repeating: 0, count: 256)
    }

    deinit {
        libcurl_easy_cleanup(easy)
        errorText.deallocate()
    }

    /// All options as at first; connections stay.
    func reset() {
        libcurl_easy_reset(easy)
        refusal = nil
        errorText.pointee = 0
        note(LIBCURL_ERRORBUFFER, libcurl_set_pointer(easy, LIBCURL_ERRORBUFFER, errorText))
    }

    func set(_ option: libcurl_option, _ value: Int) {
        note(option, libcurl_set_number(easy, option, value))
    }

    func set(_ option: libcurl_option, _ value: String?) {
        note(option, libcurl_set_text(easy, option, value))
    }

    func setSize(_ option: libcurl_option, _ value: Int) {
        note(option, libcurl_set_size(easy, option, Int64(value)))
    }

    /// Copies the bytes.
    func setBody(_ bytes: UnsafeRawBufferPointer) {
        setSize(LIBCURL_POSTFIELDSIZE_LARGE, bytes.count)
        // Of an empty body any address will do; without one, libcurl would read the bytes from somewhere else.
        let start = bytes.baseAddress.map(UnsafeMutableRawPointer.init(mutating:)) ?? easy
        note(LIBCURL_COPYPOSTFIELDS, libcurl_set_pointer(easy, LIBCURL_COPYPOSTFIELDS, start))
    }

    /// - Returns: the code of libcurl.
    func perform(headerLines: [String], into collector: ResponseCollector) -> Int32 {
        var list: OpaquePointer?
        defer { libcurl_list_free(list) }
        for line in headerLines {
            guard let longer = libcurl_list_append(list, line) else { return CurlCode.memory }
            list = longer
        }
        note(LIBCURL_HTTPHEADER, libcurl_set_pointer(easy, LIBCURL_HTTPHEADER, list.map(UnsafeMutableRawPointer.init)))
        return withExtendedLifetime(collector) {
            connect(to: Unmanaged.passUnretained(collector).toOpaque())
            return refusal == nil ? libcurl_easy_perform(easy) : CurlCode.notBuiltIn
        }
    }

    /// What libcurl has to say of a failure; empty if nothing.
    var detail: String { String(cString: errorText) }

    /// Whether something came over the kept connection though nothing was asked, or it was closed.
    var hasUnaskedInput: Bool {
        var kept = pollfd(fd: libcurl_kept_socket(easy), events: Int16(POLLIN), revents: 0)
        return kept.fd >= 0 && poll(&kept, 1, 0) > 0
    }

    /// Has `certificateNames` and `receivedCloseNotify` known after the transfer.
    func setUpOpenSSL(behindEncryptedProxy: Bool) {
        let code = libcurl_set_up_openssl(easy, behindEncryptedProxy ? 1 : 0)
        if code != 0, refusal == nil { refusal = (LIBCURL_SSL_VERIFYPEER, code) }
    }

    /// `subject '/CN=a', issuer '/CN=b'` of the certificate that was looked at last, if it is known.
    var certificateNames: String? {
        var issuer: UnsafePointer<CChar>?
        guard let subject = libcurl_certificate(&issuer), let issuer, subject.pointee != 0 else { return nil }
        return "subject '\(String(cString: subject))', issuer '\(String(cString: issuer))'"
    }

    /// Whether that certificate is the server's own.
    var certificateIsOfServer: Bool { libcurl_certificate_depth() == 0 }

    /// Whether the server said that nothing more comes, or nobody can tell.
    var receivedCloseNotify: Bool { libcurl_received_close_notify() != 0 }

    func number(_ info: libcurl_info) -> Int { libcurl_get_number(easy, info) }

    private func connect(to context: UnsafeMutableRawPointer) {
        note(LIBCURL_WRITEDATA, libcurl_set_pointer(easy, LIBCURL_WRITEDATA, context))
        note(LIBCURL_HEADERDATA, libcurl_set_pointer(easy, LIBCURL_HEADERDATA, context))
        note(LIBCURL_PREREQDATA, libcurl_set_pointer(easy, LIBCURL_PREREQDATA, context))
        note(LIBCURL_NOPROGRESS, libcurl_set_number(easy, LIBCURL_NOPROGRESS, 0))
        note(LIBCURL_XFERINFODATA, libcurl_set_pointer(easy, LIBCURL_XFERINFODATA, context))
        note(LIBCURL_XFERINFOFUNCTION, libcurl_set_progress(easy, LIBCURL_XFERINFOFUNCTION, noteProgress))
        // Only a trace tells how many bytes came that are in no body, or have not become one.
        note(LIBCURL_VERBOSE, libcurl_set_number(easy, LIBCURL_VERBOSE, 1))
        note(LIBCURL_DEBUGDATA, libcurl_set_pointer(easy, LIBCURL_DEBUGDATA, context))
        note(LIBCURL_DEBUGFUNCTION, libcurl_set_trace(easy, LIBCURL_DEBUGFUNCTION, noteArrival))
        note(LIBCURL_WRITEFUNCTION, libcurl_set_receiver(easy, LIBCURL_WRITEFUNCTION, takeBody))
        note(LIBCURL_HEADERFUNCTION, libcurl_set_receiver(easy, LIBCURL_HEADERFUNCTION, takeHeaderLine))
        note(LIBCURL_PREREQFUNCTION, libcurl_set_start(easy, LIBCURL_PREREQFUNCTION, noteStart))
    }

    private func note(_ option: libcurl_option, _ code: Int32) {
        if code != 0, refusal == nil { refusal = (option, code) }
    }
}

private func collector(_ context: UnsafeMutableRawPointer?) -> ResponseCollector {
    Unmanaged<ResponseCollector>.fromOpaque(context!).takeUnretainedValue()
}

// Any other count than that of the bytes ends the transfer: one more, since a piece may be empty.

private let takeBody: libcurl_receiver = { bytes, _, count, context in
    collector(context).takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : count + 1
}

private let takeHeaderLine: libcurl_receiver = { bytes, _, count, context in
    collector(context).takeHeaderLine(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : count + 1
}

private let noteProgress: libcurl_progress = { context, _, _, _, _ in
    collector(context).takeProgress() ? 0 : 1
}

private let noteArrival: libcurl_trace = { _, kind, _, count, context in
    if kind == LIBCURL_DATA_IN { collector(context).arrived += count }
    return 0
}

/// Called when the connection stands, with its encryption, and the request is about to be sent.
private let noteStart: libcurl_start = { context, _, _, _, _ in
    collector(context).wasSent = true
    return 0
}
