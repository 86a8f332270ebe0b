import CLibcurl
import Transport

/// The loaded libcurl library.
struct CurlLibrary: Sendable, Equatable {
    /// As 0xXXYYZZ.
    let version: UInt32
    /// The TLS library: "OpenSSL/3.0.19".
    let tls: String

    #if canImport(Darwin)
        // An absolute path: for a bare name, the dynamic loader looks into the working folder first.
        static let fileName = "/usr/lib/libcurl.4.dylib"
    #else
        static let fileName = "libcurl.so.4"
    #endif

    /// The library of this process, loaded at first use.
    static let loaded = Result { () throws(TransportError) in try load(fileName).checked() }

    static func load(_ name: String) throws(TransportError) -> CurlLibrary {
        if let reason = libcurl_load(name) {
            throw TransportError(
                .unavailable, "cannot load libcurl ('\(name)'): \(String(cString: reason))", hint: installation)
        }
        var tls: UnsafePointer<CChar>?
        let version = libcurl_version(&tls)
        return CurlLibrary(version: version, tls: tls.map { String(cString: $0) } ?? "")
    }

    /// - Throws: `TransportError` `unavailable` if it lacks TLS or `CURLOPT_PREREQFUNCTION` (7.80).
    func checked() throws(TransportError) -> CurlLibrary {
        guard version >= 0x07_50_00 else {
            throw TransportError(.unavailable, "libcurl \(versionText) is too old: authctl requires 7.80")
        }
        guard !tls.isEmpty else { throw TransportError(.unavailable, "this libcurl does not support TLS") }
        return self
    }

    private var versionText: String { "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)" }

    #if canImport(Darwin)
        private static let installation = "libcurl is part of macOS"
    #else
        private static let installation = "install it: apt-get install libcurl4"
    #endif
}
