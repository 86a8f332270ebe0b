import CLibcurl

/// How a transfer failed, as libcurl reports it.
struct CurlFailure: Error {
    /// A CURLcode.
    let code: Int32
    /// Libcurl's message. It may contain text of the server.
    let detail: String
    /// Why OpenSSL rejected the certificate: an X509_V_ERR number. 0 and 1 carry no information.
    let verification: Int
    /// The subject and issuer of that certificate, if they are known.
    let certificateNames: String?
    /// Whether it is the server's own certificate and the server sent no issuer certificate.
    let isWithoutIssuer: Bool
    /// The status of the proxy's response; 0 if there was none.
    let proxyStatus: Int
    /// The `errno` of the last failed connection.
    let systemCode: Int32
    /// Whether a byte of the request may have been sent.
    let wasSent: Bool
    /// Whether any byte of a response was received.
    let hasBegun: Bool
    let fault: ResponseCollector.Fault?

    init(_ code: Int32, _ handle: CurlHandle, _ collector: ResponseCollector) {
        self.code = code
        detail = handle.refusal.map { "option \($0.option.rawValue) is not known (\($0.code))" } ?? handle.detail
        let own = handle.number(LIBCURL_SSL_VERIFYRESULT)
        verification = own > 1 ? own : handle.number(LIBCURL_PROXY_SSL_VERIFYRESULT)
        certificateNames = code == CurlCode.verification ? handle.certificateNames : nil
        isWithoutIssuer = certificateNames != nil && verification == 20 && handle.certificateIsOfServer
        proxyStatus = handle.number(LIBCURL_HTTP_CONNECTCODE)
        systemCode = Int32(truncatingIfNeeded: handle.number(LIBCURL_OS_ERRNO))
        wasSent = collector.wasSent
        hasBegun = collector.hasBegun
        fault = collector.fault
    }

    /// Whether the certificate was rejected only because its authority is unknown.
    var isUnknownAuthority: Bool {
        code == CurlCode.verification && !wasSent && unknownAuthority.contains(verification)
    }
}

/// X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, _DEPTH_ZERO_SELF_SIGNED_CERT, _SELF_SIGNED_CERT_IN_CHAIN,
/// _UNABLE_TO_GET_ISSUER_CERT_LOCALLY, _UNABLE_TO_VERIFY_LEAF_SIGNATURE.
private let unknownAuthority = [2, 18, 19, 20, 21]
