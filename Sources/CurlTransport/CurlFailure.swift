import CLibcurl

/// A failed transfer, as reported by libcurl and the `ResponseCollector`.
struct CurlFailure: Error {
    /// A CURLcode.
    let code: Int32
    /// The option, if libcurl rejected one; otherwise libcurl's message, which may contain text from the server.
    let detail: String
    /// Why OpenSSL rejected the certificate: an X509_V_ERR code; 0 or 1 if the reason is unknown.
    let verification: Int
    /// The subject and issuer of the rejected certificate, if they are known.
    let certificateNames: String?
    /// Whether the server's own certificate was rejected, and the server did not send the issuer's certificate.
    let isWithoutIssuer: Bool
    /// The status of the proxy's response to CONNECT; 0 if there was none.
    let proxyStatus: Int
    /// The `errno` of the last failed connection attempt.
    let systemCode: Int32
    /// Whether any byte of the request may have been sent.
    let wasSent: Bool
    /// Whether any line of a response was received.
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

    /// Whether the certificate was rejected only because it was not issued by a known CA.
    var isUnknownAuthority: Bool {
        code == CurlCode.verification && !wasSent && unknownAuthority.contains(verification)
    }
}

/// X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, _DEPTH_ZERO_SELF_SIGNED_CERT, _SELF_SIGNED_CERT_IN_CHAIN,
/// _UNABLE_TO_GET_ISSUER_CERT_LOCALLY, _UNABLE_TO_VERIFY_LEAF_SIGNATURE.
private let unknownAuthority = [2, 18, 19, 20, 21]

/// The CURLcodes that authctl distinguishes.
enum CurlCode {
    static let success: Int32 = 0  // CURLE_OK
    static let unsupportedProtocol: Int32 = 1  // CURLE_UNSUPPORTED_PROTOCOL; also an HTTP/0.9 response
    static let proxyName: Int32 = 5  // CURLE_COULDNT_RESOLVE_PROXY
    static let notBuiltIn: Int32 = 4  // CURLE_NOT_BUILT_IN
    static let hostName: Int32 = 6  // CURLE_COULDNT_RESOLVE_HOST
    static let connection: Int32 = 7  // CURLE_COULDNT_CONNECT
    static let weirdAnswer: Int32 = 8  // CURLE_WEIRD_SERVER_REPLY
    static let partialBody: Int32 = 18  // CURLE_PARTIAL_FILE
    static let memory: Int32 = 27  // CURLE_OUT_OF_MEMORY; also a header line of more than 100 KiB
    static let timeout: Int32 = 28  // CURLE_OPERATION_TIMEDOUT
    static let handshake: Int32 = 35  // CURLE_SSL_CONNECT_ERROR
    static let aborted: Int32 = 42  // CURLE_ABORTED_BY_CALLBACK
    static let noAnswer: Int32 = 52  // CURLE_GOT_NOTHING
    static let sending: Int32 = 55  // CURLE_SEND_ERROR
    static let receiving: Int32 = 56  // CURLE_RECV_ERROR
    static let verification: Int32 = 60  // CURLE_PEER_FAILED_VERIFICATION
    static let encoding: Int32 = 61  // CURLE_BAD_CONTENT_ENCODING
    static let tooLarge: Int32 = 63  // CURLE_FILESIZE_EXCEEDED
    static let authorities: Int32 = 77  // CURLE_SSL_CACERT_BADFILE
    static let proxy: Int32 = 97  // CURLE_PROXY
    static let longLine: Int32 = 100  // CURLE_TOO_LARGE; in newer libcurl versions, a long header line
    /// Other TLS errors: CURLE_SSL_ENGINE_…, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
    /// CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
    /// CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT.
    static let encryption: Set<Int32> = [53, 54, 58, 59, 64, 66, 80, 82, 83, 90, 91, 98]
}
