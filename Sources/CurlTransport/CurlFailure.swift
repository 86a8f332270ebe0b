import CLibcurl

/// A failed transfer, as reported by libcurl and the `ResponseCollector`.
struct CurlFailure: Error {
    let code: CURLcode
    /// The option, if libcurl rejected one; otherwise libcurl's message, which may contain text from the server.
    let detail: String
    /// Why OpenSSL rejected the certificate: an X509_V_ERR code; 0 or 1 if the reason is unknown.
    let verification: Int
    /// The status of the proxy's response to CONNECT; 0 if there was none.
    let proxyStatus: Int
    /// The `errno` of the last failed connection attempt.
    let systemCode: Int32
    /// Whether any byte of the request may have been sent.
    let wasSent: Bool
    /// Whether any line of a response was received.
    let hasBegun: Bool
    let fault: ResponseCollector.Fault?

    init(_ code: CURLcode, _ handle: CurlHandle, _ collector: ResponseCollector) {
        self.code = code
        detail =
            handle.refusal.map { "option \($0.option.rawValue) is not known (\($0.code.rawValue))" } ?? handle.detail
        let own = handle.number(CURLINFO_SSL_VERIFYRESULT)
        verification = own > 1 ? own : handle.number(CURLINFO_PROXY_SSL_VERIFYRESULT)
        proxyStatus = handle.number(CURLINFO_HTTP_CONNECTCODE)
        systemCode = Int32(truncatingIfNeeded: handle.number(CURLINFO_OS_ERRNO))
        wasSent = collector.wasSent
        hasBegun = collector.hasBegun
        fault = collector.fault
    }

    /// Whether the certificate was rejected only because it was not issued by a known CA.
    var isUnknownAuthority: Bool {
        code == CURLE_PEER_FAILED_VERIFICATION && !wasSent && unknownAuthority.contains(verification)
    }
}

/// X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, _DEPTH_ZERO_SELF_SIGNED_CERT, _SELF_SIGNED_CERT_IN_CHAIN,
/// _UNABLE_TO_GET_ISSUER_CERT_LOCALLY, _UNABLE_TO_VERIFY_LEAF_SIGNATURE.
private let unknownAuthority = [2, 18, 19, 20, 21]
