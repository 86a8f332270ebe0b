import TestSupport
import Testing
import Transport

@testable import CurlTransport

@Suite struct LibraryTests {
    @Test func `a missing library is reported with how to install it`() throws {
        let error = try #require(throws: TransportError.self) { try CurlLibrary.load("libcurl-absent.so.4") }
        #expect(error.kind == .unavailable)
        #expect(error.message.contains("'libcurl-absent.so.4'"))
        #expect(!error.hints.isEmpty)
        #expect(!error.wasSent)
    }

    /// The second library exists, but has no function of libcurl.
    @Test(arguments: ["libcurl-absent.so.4", "libm.so.6"])
    func `a library that cannot be loaded leaves the loaded one in use`(name: String) throws {
        let server = try ScriptedServer([.init(certificate: TestAuthority.path("expired"))])
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        func message() -> String? { transport.failure(HTTPRequest(.get, server.url("/", scheme: "https")))?.message }
        let before = try #require(message())
        #expect(throws: TransportError.self) { try CurlLibrary.load(name) }
        #expect(message() == before)
    }

    @Test(
        arguments: [(0x07_4A_00, "OpenSSL/1.1.1n", "too old"), (0x07_58_01, "", "without TLS")]
            as [(UInt32, String, String)])
    func `a library without a required feature is rejected`(version: UInt32, tls: String, situation: String) throws {
        let error = try #require(throws: TransportError.self) {
            try CurlLibrary(version: version, tls: tls).checked()
        }
        #expect(error.kind == .unavailable)
        error.expectMessage(situation)
    }

    @Test func `a library with all required features is accepted`() {
        #expect(throws: Never.self) { try CurlLibrary(version: 0x08_07_01, tls: "GnuTLS/3.8.0").checked() }
    }
}
