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
