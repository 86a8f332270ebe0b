import CLibcurl
import Transport

/// The loaded libcurl library: 7.88 (Debian 12) or newer.
struct CurlLibrary: Sendable {
    /// Whether its TLS library is OpenSSL.
    let usesOpenSSL: Bool

    #if canImport(Darwin)
        // An absolute path: for a bare name, the dynamic loader looks into the working folder first.
        static let fileName = "/usr/lib/libcurl.4.dylib"
    #else
        static let fileName = "libcurl.so.4"
    #endif

    /// The library of this process, loaded at first use.
    static let loaded = Result { () throws(TransportError) in try load(fileName) }

    /// `libcurl 7.88.1 with OpenSSL/3.0.19`.
    static func name() throws(TransportError) -> String {
        _ = try loaded.get()
        return
            "libcurl \(String(cString: libcurl_version())) with \(libcurl_tls().map { String(cString: $0) } ?? "no TLS")"
    }

    static func load(_ name: String) throws(TransportError) -> CurlLibrary {
        if let reason = libcurl_load(name) {
            throw TransportError(
                .unavailable, "cannot load libcurl ('\(name)'): \(String(cString: reason))", hint: installation)
        }
        return CurlLibrary(usesOpenSSL: libcurl_tls().map { String(cString: $0).hasPrefix("OpenSSL") } ?? false)
    }

    #if canImport(Darwin)
        private static let installation = "libcurl is part of macOS"
    #else
        private static let installation = "install it: apt-get install libcurl4"
    #endif
}
