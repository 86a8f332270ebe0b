import CLibcurl
import LibC
import Platform
import Transport

/// The loaded libcurl library: 7.87 or newer.
struct CurlLibrary: Sendable {
    /// The file that pip installed with pycurl; `nil` for the library of the system.
    let path: String?
    /// Whether libcurl uses OpenSSL for TLS.
    let usesOpenSSL: Bool

    #if canImport(Darwin)
        // An absolute path, because the dynamic loader first searches the working directory for a bare name.
        static let fileName = "/usr/lib/libcurl.4.dylib"
    #else
        static let fileName = "libcurl.so.4"
    #endif

    /// The path of this program without links; `nil` if it is unknown.
    static let program = "/proc/self/exe".resolvedLinks

    /// The library, loaded at first use. All transports of the process share it.
    static let loaded = Result { () throws(TransportError) in try load(fileName, beside: program) }

    /// The names and versions of libcurl and its TLS library, and its file if the system has none: `libcurl 7.88.1 with
    /// OpenSSL/3.0.19`.
    static func name() throws(TransportError) -> String {
        let path = try loaded.get().path
        return
            "libcurl \(String(cString: libcurl_version())) with \(libcurl_tls().map { String(cString: $0) } ?? "no TLS")"
            + (path.map { ", '\($0)'" } ?? " of the system")
    }

    /// Loads the library of the system or, if there is none, the one that pip installed beside the program.
    static func load(_ name: String, beside program: String?) throws(TransportError) -> CurlLibrary {
        guard let reason = failure(toLoad: name) else { return CurlLibrary(path: nil) }
        do throws(FileError) {
            guard let path = try installedFile("pycurl.libs/libcurl*.so*", beside: program) else {
                throw FileError(.unreadable, "'\(name)': \(reason)")
            }
            if let reason = failure(toLoad: path) { throw FileError(.unreadable, "'\(path)': \(reason)") }
            return CurlLibrary(path: path)
        } catch {
            throw TransportError(
                .unavailable, "cannot load libcurl: \(error.message)", hints: error.hints + installation)
        }
    }

    private init(path: String?) {
        self.path = path
        usesOpenSSL = libcurl_tls().map { String(cString: $0).hasPrefix("OpenSSL") } ?? false
    }

    private static func failure(toLoad name: String) -> String? {
        libcurl_load(name).map { String(cString: $0) }
    }

    #if canImport(Darwin)
        private static let installation = ["libcurl is part of macOS"]
    #else
        private static let installation = [
            "install it: apt-get install libcurl4",
            "in the Python environment of authctl, this also installs one: pip install pycurl certifi",
        ]
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
        return ofSystem(library)
    }

    static func ofSystem(_ library: CurlLibrary) -> TrustStore {
        #if os(Linux)
            if library.usesOpenSSL, isHashed(systemFolder) { return .folder(systemFolder) }
        #endif
        return bundle(for: library)
    }

    /// The bundle of the system or, if there is none, the one that pip installed with certifi beside the program.
    static func bundle(for library: CurlLibrary) -> TrustStore {
        #if os(Linux)
            if let bundle = systemBundles.first(where: { FileIdentity(path: $0) != nil }) {
                return library.path == nil ? .standard : .chosen(file: bundle, folder: nil)
            }
            // `try?`: a file that other users may change is not trusted.
            if let bundle = try? installedFile("certifi/cacert.pem", beside: CurlLibrary.program) {
                return .chosen(file: bundle, folder: nil)
            }
        #endif
        return .standard
    }

    /// Where the certificates are: a clause such as `in '/etc/ssl/certs'`; `nil` if none were found.
    var place: String? {
        switch self {
        case .chosen(let file, let folder): return (file ?? folder).map { "in '\($0)'" }
        case .folder(let path): return "in '\(path)'"
        case .standard:
            #if os(Linux)
                guard systemBundles.contains(where: { FileIdentity(path: $0) != nil }) else { return nil }
            #endif
            return "of the system"
        }
    }
}

private let systemFolder = "/etc/ssl/certs"
/// The files of Debian, Fedora, openSUSE and Alpine.
private let systemBundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
]

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
