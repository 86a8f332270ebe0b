import CLibcurl
import LibC
import Platform
import Transport

/// The loaded libcurl library: 7.88 (Debian 12) or newer.
struct CurlLibrary: Sendable {
    /// Whether libcurl uses OpenSSL for TLS.
    let usesOpenSSL: Bool

    #if canImport(Darwin)
        // An absolute path, because the dynamic loader first searches the working directory for a bare name.
        static let fileName = "/usr/lib/libcurl.4.dylib"
    #else
        static let fileName = "libcurl.so.4"
    #endif

    /// The library, loaded at first use. All transports of the process share it.
    static let loaded = Result { () throws(TransportError) in try load(fileName) }

    /// The names and versions of libcurl and its TLS library: `libcurl 7.88.1 with OpenSSL/3.0.19`.
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

/// Where libcurl finds the trusted CA certificates.
enum TrustStore: Equatable {
    /// CA certificates set by the user. Except on macOS, they replace those of the system.
    case chosen(file: String?, folder: String?)
    /// A directory in which OpenSSL finds a CA certificate by the hash of its subject.
    ///
    /// Loading the system's bundle of 140 certificates instead would take 85 % of the time of a request.
    case folder(String)
    /// The default of this libcurl build.
    case standard

    /// - Throws: `TransportError` `unusableSetting` if the file cannot be used.
    static func chosen(by settings: NetworkSettings, _ library: CurlLibrary) throws(TransportError) -> TrustStore {
        if let path = settings.authorities {
            // Read the file only to check its content. libcurl reads the file again.
            try checkAuthorities(at: path) { limit throws(FileError) in try readPlainFile(at: path, limit: limit) }
        }
        // The bundle and the folder of the system have the same certificates.
        let isSystem =
            settings.authorities == "\(systemFolder)/ca-certificates.crt"
            && [nil, systemFolder].contains(settings.authorityFolder)
        if !isSystem, settings.authorities ?? settings.authorityFolder != nil {
            return .chosen(file: settings.authorities, folder: settings.authorityFolder)
        }
        #if os(Linux)
            if library.usesOpenSSL, isHashed(systemFolder) { return .folder(systemFolder) }
        #endif
        return .standard
    }
}

private let systemFolder = "/etc/ssl/certs"

/// Whether the directory contains an entry whose name is a hash, such as `5ed36f99.0`.
private func isHashed(_ path: String) -> Bool {
    guard let folder = opendir(path) else { return false }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
        let isHash = withUnsafeBytes(of: &entry.pointee.d_name) { name in
            name.count > 10 && name[8] == UInt8(ascii: ".") && name[9] == UInt8(ascii: "0") && name[10] == 0
        }
        if isHash { return true }
    }
    return false
}
