import CLibcurl
import Platform
import Synchronization
package import Transport

/// Sends requests over the network with libcurl.
///
/// The first request loads the library. A connection stays open for later requests. Certificates and host names are
/// always verified. libcurl follows no redirect and handles no authentication challenge. It sends a request again only
/// if a reused connection is dead. Therefore, a request that is not idempotent uses a new connection, unless
/// `NetworkSettings.alwaysKeepsConnections` is set.
package final class LibcurlTransport: HTTPTransport {
    private let settings: NetworkSettings
    private let userAgent: String
    /// `nil` before the first request. The lock makes the transport thread-safe: threads send their requests in turn.
    private let session = Mutex<CurlSession?>(nil)

    /// The library: `libcurl 7.88.1 with OpenSSL/3.0.19 of the system`, and where the certificates of authorities are:
    /// `in '/etc/ssl/certs'`; `nil` if there are none.
    package static func library() throws(TransportError) -> (name: String, authorities: String?) {
        (try CurlLibrary.name(), TrustStore.ofSystem(try CurlLibrary.loaded.get()).place)
    }

    package init(_ settings: NetworkSettings, userAgent: String = "authctl") {
        self.settings = settings
        self.userAgent = userAgent
    }

    /// - Throws: `TransportError`, for example of kind `unavailable` if libcurl is missing or lacks a feature.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        try session.withLock { session throws(TransportError) in
            if let session { return try session.send(request) }
            let opened = try CurlSession(settings, userAgent: userAgent)
            session = opened
            return try opened.send(request)
        }
    }
}

/// State that outlives a request: the library, its handle, and the trusted CA certificates.
private final class CurlSession {
    private let settings: NetworkSettings
    private let userAgent: String
    private let library: CurlLibrary
    private var handle: CurlHandle
    /// `nil` before the first https request.
    private var trust: TrustStore?

    init(_ settings: NetworkSettings, userAgent: String) throws(TransportError) {
        self.settings = settings
        self.userAgent = userAgent
        library = try CurlLibrary.loaded.get()
        handle = try newHandle()
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let transfer = try CurlTransfer(request, settings)
        guard request.bodySource?.rewind() != false else {
            throw TransportError(.stream, "cannot read the body of the request again").asFinal
        }
        if transfer.url.scheme == "https", trust == nil { trust = try .chosen(by: settings, library) }
        // libcurl would treat data that arrived before the request as the response. A new handle has no connection.
        if handle.hasUnexpectedInput { handle = try newHandle() }
        do throws(CurlFailure) {
            return try performTrusting(transfer)
        } catch {
            let error = transfer.error(for: error)
            throw request.isRepeatable ? error : error.asFinal
        }
    }

    /// Performs the transfer. If the hashed CA directory lacks the required CA certificate, retries with the CA bundle.
    ///
    /// All later requests also use the bundle. No request is sent twice, because the first TLS handshake failed.
    private func performTrusting(_ transfer: CurlTransfer) throws(CurlFailure) -> HTTPResponse {
        let end = monotonicNow() + transfer.limit
        do throws(CurlFailure) {
            return try perform(transfer, within: transfer.limit)
        } catch let first {
            guard case .folder = trust, first.isUnknownAuthority, monotonicNow() < end else { throw first }
            trust = .bundle(for: library)
            do throws(CurlFailure) {
                return try perform(transfer, within: end - monotonicNow())
            } catch {
                // If there is no bundle, report the first error.
                throw error.code == CURLE_SSL_CACERT_BADFILE ? first : error
            }
        }
    }

    private func perform(_ transfer: CurlTransfer, within limit: Duration) throws(CurlFailure) -> HTTPResponse {
        handle.reset()
        setCommonOptions()
        setRoute(transfer, within: limit)
        if transfer.url.scheme == "https" { setTrust(transfer.proxy) }
        let collector = ResponseCollector(for: transfer.request)
        setMessage(transfer, collector)
        let code = handle.perform(headerLines: transfer.headerLines, into: collector)
        // libcurl also accepts a header that is truncated by the end of the connection.
        guard code == CURLE_OK, collector.headIsWhole else {
            throw CurlFailure(code, handle, collector)
        }
        return collector.response
    }

    /// Sets the options that all requests share, including those whose default depends on the libcurl version.
    private func setCommonOptions() {
        handle.set(CURLOPT_NOSIGNAL, 1)
        // Without this option, the process would wait at exit for a DNS lookup that has timed out.
        handle.set(CURLOPT_QUICK_EXIT, 1)
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // HTTP/2 has no advantage when requests are sent one at a time.
        handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        handle.set(CURLOPT_HTTP09_ALLOWED, 0)
        handle.set(CURLOPT_PATH_AS_IS, 1)
        handle.set(CURLOPT_USERAGENT, userAgent)
    }

    private func setRoute(_ transfer: CurlTransfer, within limit: Duration) {
        handle.set(CURLOPT_URL, transfer.request.url)
        // If there is a stall limit, there is no total limit (0). The collector detects a stalled transfer instead.
        let isUnlimited = transfer.request.stallLimit != nil
        handle.set(CURLOPT_TIMEOUT_MS, isUnlimited ? 0 : Self.milliseconds(limit))
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(min(transfer.connectLimit, limit)))
        // At most one connection stays open, because `hasUnexpectedInput` checks only the last one.
        handle.set(CURLOPT_MAXCONNECTS, 1)
        let mayKeep = transfer.request.mayUseKeptConnection(settings)
        handle.set(CURLOPT_FRESH_CONNECT, mayKeep ? 0 : 1)
        // Without a proxy, the option is set to "", so that libcurl does not read a proxy from the environment.
        handle.set(CURLOPT_PROXY, transfer.proxy?.url ?? "")
        handle.set(CURLOPT_NOPROXY, "")
        handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        handle.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    }

    /// Returns at least 1. For libcurl, a total limit of 0 means no limit, and a connect limit of 0 means the default.
    private static func milliseconds(_ duration: Duration) -> Int { Int(max(1, duration.milliseconds)) }

    private func setTrust(_ proxy: Proxy?) {
        handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)  // or newer
        setAuthorities(file: CURLOPT_CAINFO, folder: CURLOPT_CAPATH)
        guard proxy?.isEncrypted == true else { return }
        handle.set(CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        setAuthorities(file: CURLOPT_PROXY_CAINFO, folder: CURLOPT_PROXY_CAPATH)
    }

    private func setAuthorities(file: CURLoption, folder: CURLoption) {
        switch trust {
        case .chosen(let path, let directory):
            handle.set(file, path)
            handle.set(folder, directory)
        case .folder(let path):
            handle.set(file, nil)
            handle.set(folder, path)
        case .standard, nil: break
        }
    }

    private func setMessage(_ transfer: CurlTransfer, _ collector: ResponseCollector) {
        let request = transfer.request
        if request.method == .head { handle.set(CURLOPT_NOBODY, 1) }
        // "" means all encodings that libcurl decodes. `bodyLimit` limits decoded bytes. Streamed bodies stay encoded.
        if request.reception.sink == nil { handle.set(CURLOPT_ACCEPT_ENCODING, "") }
        // A response to HEAD contains the length of a body that is not sent, so no limit is set.
        if let limit = collector.bodyLimit, request.method != .head { handle.setSize(CURLOPT_MAXFILESIZE_LARGE, limit) }
        if let source = request.bodySource {
            handle.setBody(source)
        } else if let body = transfer.body {
            body.withUnsafeBytes { handle.setBody($0) }
        }
        if request.method != .head { handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
    }
}

private func newHandle() throws(TransportError) -> CurlHandle {
    guard let handle = CurlHandle() else { throw TransportError(.unavailable, "out of memory") }
    return handle
}

extension HTTPRequest {
    /// Whether the request may use a kept connection. If the connection is dead, libcurl sends the request again, so
    /// the body must not be a stream.
    fileprivate func mayUseKeptConnection(_ settings: NetworkSettings) -> Bool {
        (mayBeResent || settings.alwaysKeepsConnections) && !wantsNewConnection && bodySource == nil
    }
}
