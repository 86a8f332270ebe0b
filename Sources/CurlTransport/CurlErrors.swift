import CLibcurl
import Platform
import Transport

extension CurlTransfer {
    /// Converts a libcurl failure to a `TransportError`.
    ///
    /// Of libcurl's messages, only those about certificates and missing features are shown, because the others may
    /// contain text from the server.
    func error(for failure: CurlFailure) -> TransportError {
        if let fault = failure.fault { return error(for: fault, failure) }
        if request.bodySource?.failure != nil {
            return TransportError(.stream, "cannot read the body of the request", wasSent: failure.wasSent).asFinal
        }
        switch failure.code {
        case CURLE_COULDNT_RESOLVE_PROXY: return TransportError(.proxy, "cannot find the proxy \(proxyName)")
        case CURLE_COULDNT_RESOLVE_HOST: return TransportError(.dns, "cannot find the host '\(url.host)'")
        case CURLE_COULDNT_CONNECT: return noConnection(failure)
        case CURLE_OPERATION_TIMEDOUT: return outOfTime(failure)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE:
            return encryptionError(failure)
        case let code where otherEncryptionErrors.contains(code): return encryptionError(failure)
        case CURLE_FILESIZE_EXCEEDED: return tooLarge
        case CURLE_BAD_CONTENT_ENCODING: return broken("has an unsupported content encoding")
        // Older versions of libcurl report a header line of more than 100 KiB as lack of memory.
        case CURLE_OUT_OF_MEMORY where failure.wasSent, lineTooLong:
            return broken("has a header line that is too long")
        case CURLE_UNSUPPORTED_PROTOCOL where failure.wasSent, CURLE_WEIRD_SERVER_REPLY where failure.wasSent:
            return broken("is not HTTP")
        case CURLE_OK, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_PROXY, CURLE_ABORTED_BY_CALLBACK,
            CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
            return lostConnection(failure)
        case CURLE_NOT_BUILT_IN:
            return TransportError(.unavailable, "libcurl lacks a required feature: \(failure.detail)")
        // libcurl has various codes for malformed responses, such as CURLE_BAD_FUNCTION_ARGUMENT for chunk size `0x1f`.
        case _ where failure.wasSent: return broken("cannot be decoded")
        default: return TransportError(.unavailable, "libcurl cannot send the request (error \(failure.code.rawValue))")
        }
    }

    private func error(for fault: ResponseCollector.Fault, _ failure: CurlFailure) -> TransportError {
        switch fault {
        case .stalled:
            TransportError(
                .timeout,
                "no progress in the transfer with '\(url.authority)' for \((request.stallLimit ?? limit).text)",
                wasSent: true)
        case .notPassedOn: TransportError(.stream, "cannot pass on the response", wasSent: true).asFinal
        case .large: tooLarge
        case .largeHeader, .brokenLine, .unclearLength, .impossibleStatus: broken(fault.rawValue)
        }
    }

    private var tooLarge: TransportError {
        let limit = if case .whole(let limit) = request.reception { limit } else { ResponseCollector.bodyLimit }
        return broken("is larger than \(limit >> 20) MiB")
    }

    private var proxyName: String { "'\(proxy?.name ?? "")'" }

    private func broken(_ what: String) -> TransportError {
        TransportError(.invalidResponse, "the response of '\(url.authority)' \(what)", wasSent: true)
    }

    private func noConnection(_ failure: CurlFailure) -> TransportError {
        let reason = failure.systemCode == 0 ? "" : ": \(Errno(failure.systemCode).description)"
        guard proxy != nil else {
            return TransportError(.connect, "cannot connect to '\(url.authority)'\(reason)")
        }
        return TransportError(.proxy, "cannot connect to the proxy \(proxyName)\(reason)")
    }

    private func outOfTime(_ failure: CurlFailure) -> TransportError {
        if failure.hasBegun {
            return TransportError(
                .timeout, "the response of '\(url.authority)' did not end within \(limit.text)", wasSent: true)
        }
        if failure.detail.hasPrefix("Resolving timed out") {
            return proxy == nil
                ? TransportError(.dns, "cannot find the host '\(url.host)' within \(connectLimit.text)")
                : TransportError(.proxy, "cannot find the proxy \(proxyName) within \(connectLimit.text)")
        }
        if failure.wasSent {
            return TransportError(.timeout, "no response from '\(url.authority)' within \(limit.text)", wasSent: true)
        }
        let way = proxy == nil ? "" : " through the proxy \(proxyName)"
        return TransportError(
            .timeout, "no connection to '\(url.authority)'\(way) within \(connectLimit.text)",
            hint: connectLimit < limit ? "try again later, or allow more time: --connect-timeout SECONDS" : nil)
    }

    /// The error for a connection that ended before the response was complete, or that the proxy did not establish.
    private func lostConnection(_ failure: CurlFailure) -> TransportError {
        // In TLS 1.3, this alert follows the request. The server did not process that request, so do not set `wasSent`.
        if failure.detail.holds("alert certificate required") {
            return TransportError(
                .tls, "'\(url.authority)' requires a client certificate, which authctl does not support",
                hint: "ask the operator of the server for an endpoint without client certificates")
        }
        if failure.hasBegun {
            return TransportError(.invalidResponse, "the response of '\(url.authority)' is truncated", wasSent: true)
        }
        if failure.wasSent {
            return TransportError(
                .connect, "'\(url.authority)' closed the connection without a response", wasSent: true)
        }
        guard proxy != nil else {
            return TransportError(.connect, "'\(url.authority)' closed the connection")
        }
        let status = failure.proxyStatus
        guard status >= 300 else {
            return TransportError(
                .proxy, "the proxy \(proxyName) sent no usable response to CONNECT '\(url.authority)'")
        }
        let hint =
            proxy?.hasUser == true
            ? "check the user and password in the proxy's URL; authctl supports Basic authentication"
            : "add the user and password to the proxy's URL: http://USER:PASSWORD@HOST"
        return TransportError(
            .proxy, "the proxy \(proxyName) refuses to connect to '\(url.authority)': status \(status)",
            hint: status == 407 ? hint : nil, isFinal: (400..<500).contains(status))
    }

    private func encryptionError(_ failure: CurlFailure) -> TransportError {
        let isOfProxy = proxy?.isEncrypted == true && failure.proxyStatus == 0
        let peer = isOfProxy ? "the proxy \(proxyName)" : "'\(url.authority)'"
        switch failure.code {
        case CURLE_PEER_FAILED_VERIFICATION: return verificationError(failure, peer)
        case CURLE_SSL_CACERT_BADFILE:
            let place = authorities.map { "in '\($0)'" } ?? "of the system"
            return TransportError(
                .tls, "cannot load the certificate authorities \(place)",
                hint: authorities == nil ? "install them: apt-get install ca-certificates" : nil)
        default: return handshakeError(failure, peer)
        }
    }

    private func verificationError(_ failure: CurlFailure, _ peer: String) -> TransportError {
        let certificate = "the certificate of \(peer)"
        if failure.isUnknownAuthority {
            let isSelfSigned = failure.verification == 18
            return TransportError(
                .tls, "\(certificate) \(isSelfSigned ? "is self-signed" : "is signed by an unknown authority")",
                // 20: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
                hint: failure.verification == 20
                    ? "the server may not send an intermediate certificate; to trust another authority, add --ca-cert FILE"
                    : "if you trust it, add its authority with --ca-cert FILE")
        }
        switch failure.verification {
        case 9:  // X509_V_ERR_CERT_NOT_YET_VALID
            return TransportError(.tls, "\(certificate) is not yet valid", hint: "check the clock of this machine")
        case 10:  // X509_V_ERR_CERT_HAS_EXPIRED
            return TransportError(
                .tls, "\(certificate) has expired",
                hint: "the server needs a new certificate; also check the clock of this machine")
        case 0, 1:
            let isOfOther = failure.detail.holds("subject name")
            return TransportError(.tls, "\(certificate) is \(isOfOther ? "for another host" : "not valid")")
        default:
            let words = failure.detail.split(separator: ":" as Character, maxSplits: 1).last.map { ":\($0)" } ?? ""
            return TransportError(.tls, "\(certificate) is not valid\(words)")
        }
    }

    /// Handshake errors can be distinguished only by OpenSSL's messages.
    private func handshakeError(_ failure: CurlFailure, _ peer: String) -> TransportError {
        let words = failure.detail
        if ["SSL_connect:", "unexpected eof", "failure:"].contains(where: words.holds) {
            return TransportError(.connect, "\(peer) closed the connection during the handshake")
        }
        if words.holds("wrong version number") || words.holds("packet length too long") {
            return TransportError(
                .tls, "\(peer) does not speak TLS",
                hint: proxy == nil ? "for a plain http server, use a URL that starts with http://" : nil)
        }
        if words.holds("unsupported protocol") || words.holds("protocol version") {
            return TransportError(.tls, "\(peer) does not support TLS 1.2 or later")
        }
        return TransportError(.tls, "no common TLS cipher with \(peer)")
    }
}

/// CURLE_TOO_LARGE, which newer libcurl versions report for a long header line. The headers of Debian 12 lack it.
private let lineTooLong = CURLcode(rawValue: 100)

private let otherEncryptionErrors = [
    CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
    CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE,
    CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
]
