import CLibcurl
import LibC
import Platform

/// A libcurl easy handle, which keeps a connection open between requests.
final class CurlHandle {
    private let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    /// The first option that libcurl rejected after `reset`, and its CURLcode. If there is one, no request is sent.
    private(set) var refusal: (option: CURLoption, code: CURLcode)?

    /// - Returns: `nil` if no memory is available.
    init?() {
        guard let easy = libcurl_easy_init() else { return nil }
        self.easy = easy
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        libcurl_easy_cleanup(easy)
        errorText.deallocate()
    }

    /// Resets all options to their defaults. Connections stay open.
    func reset() {
        libcurl_easy_reset(easy)
        refusal = nil
        errorText.pointee = 0
        note(CURLOPT_ERRORBUFFER, libcurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
    }

    func set(_ option: CURLoption, _ value: Int) {
        note(option, libcurl_set_number(easy, option, value))
    }

    func set(_ option: CURLoption, _ value: String?) {
        note(option, libcurl_set_text(easy, option, value))
    }

    func setSize(_ option: CURLoption, _ value: Int) {
        note(option, libcurl_set_size(easy, option, curl_off_t(value)))
    }

    /// Sets the body to a copy of the bytes.
    func setBody(_ bytes: UnsafeRawBufferPointer) {
        setSize(CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
        // An empty body requires a non-null address. If the address were NULL, libcurl would call its read callback.
        let start = bytes.baseAddress.map(UnsafeMutableRawPointer.init(mutating:)) ?? easy
        note(CURLOPT_COPYPOSTFIELDS, libcurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start))
    }

    /// Reads the body from a source during the transfer, and sends it chunked if the length is unknown. The caller
    /// must keep a reference to the source.
    func setBody(_ source: ByteSource) {
        set(CURLOPT_UPLOAD, 1)
        setSize(CURLOPT_INFILESIZE_LARGE, source.count ?? -1)
        let context = Unmanaged.passUnretained(source).toOpaque()
        note(CURLOPT_READDATA, libcurl_set_pointer(easy, CURLOPT_READDATA, context))
        note(CURLOPT_READFUNCTION, libcurl_set_receiver(easy, CURLOPT_READFUNCTION, readBody))
    }

    func perform(headerLines: [String], into collector: ResponseCollector) -> CURLcode {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { libcurl_list_free(list) }
        for line in headerLines {
            guard let longer = libcurl_list_append(list, line) else { return CURLE_OUT_OF_MEMORY }
            list = longer
        }
        note(CURLOPT_HTTPHEADER, libcurl_set_pointer(easy, CURLOPT_HTTPHEADER, list))
        return withExtendedLifetime(collector) {
            let context = Unmanaged.passUnretained(collector).toOpaque()
            connect(to: context)
            return refusal == nil ? libcurl_easy_perform(easy) : CURLE_NOT_BUILT_IN
        }
    }

    /// libcurl's message about the last failure. It may be empty.
    var detail: String { String(cString: errorText) }

    /// Whether the idle connection was closed, or has received data without a request.
    var hasUnexpectedInput: Bool {
        var kept = pollfd(fd: libcurl_kept_socket(easy), events: Int16(POLLIN), revents: 0)
        return kept.fd >= 0 && poll(&kept, 1, 0) > 0
    }

    func number(_ info: CURLINFO) -> Int { libcurl_get_number(easy, info) }

    private func connect(to context: UnsafeMutableRawPointer) {
        note(CURLOPT_WRITEDATA, libcurl_set_pointer(easy, CURLOPT_WRITEDATA, context))
        note(CURLOPT_HEADERDATA, libcurl_set_pointer(easy, CURLOPT_HEADERDATA, context))
        note(CURLOPT_PREREQDATA, libcurl_set_pointer(easy, CURLOPT_PREREQDATA, context))
        note(CURLOPT_NOPROGRESS, libcurl_set_number(easy, CURLOPT_NOPROGRESS, 0))
        note(CURLOPT_XFERINFODATA, libcurl_set_pointer(easy, CURLOPT_XFERINFODATA, context))
        note(CURLOPT_XFERINFOFUNCTION, libcurl_set_progress(easy, CURLOPT_XFERINFOFUNCTION, noteProgress))
        note(CURLOPT_WRITEFUNCTION, libcurl_set_receiver(easy, CURLOPT_WRITEFUNCTION, takeBody))
        note(CURLOPT_HEADERFUNCTION, libcurl_set_receiver(easy, CURLOPT_HEADERFUNCTION, takeHeaderLine))
        note(CURLOPT_PREREQFUNCTION, libcurl_set_start(easy, CURLOPT_PREREQFUNCTION, noteStart))
    }

    private func note(_ option: CURLoption, _ code: CURLcode) {
        if code != CURLE_OK, refusal == nil { refusal = (option, code) }
    }
}

private func collector(_ context: UnsafeMutableRawPointer?) -> ResponseCollector {
    Unmanaged<ResponseCollector>.fromOpaque(context!).takeUnretainedValue()
}

// To abort the transfer, `takeBody` and `takeHeaderLine` return `count` + 1: 0 would not abort it if `count` is 0.

private let takeBody: curl_write_callback = { bytes, _, count, context in
    collector(context).takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : count + 1
}

private let takeHeaderLine: curl_write_callback = { bytes, _, count, context in
    collector(context).takeHeaderLine(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : count + 1
}

private let readBody: curl_write_callback = { bytes, one, count, context in
    let source = Unmanaged<ByteSource>.fromOpaque(context!).takeUnretainedValue()
    do throws(ByteSource.Failure) {
        return try source.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: one * count))
    } catch {
        return Int(CURL_READFUNC_ABORT)
    }
}

private let noteProgress: curl_xferinfo_callback = { context, _, received, _, sent in
    collector(context).takeProgress(Int64(received + sent)) ? 0 : 1
}

/// libcurl calls this after the connection and TLS are established, immediately before it sends the request.
private let noteStart: curl_prereq_callback = { context, _, _, _, _ in
    let collector = collector(context)
    guard !collector.wasSent || collector.mayBeResent else { return 1 }
    collector.wasSent = true
    noteRequestSent()
    return 0
}
