import TestSupport
import Testing
import Transport

@testable import CurlTransport

@Suite struct LibraryTests {
    @Test func `says how to get a library that is missing`() {
        do throws(TransportError) {
            _ = try CurlLibrary.load("libcurl-absent.so.4")
            Issue.record("loaded")
        } catch {
            #expect(error.kind == .unavailable)
            #expect(error.message.hasPrefix("cannot load libcurl ('libcurl-absent.so.4'): "))
            #expect(error.hint != nil)
            #expect(!error.wasSent)
        }
    }

    /// The second library has no function of libcurl's.
    @Test(arguments: ["libcurl-absent.so.4", "libm.so.6"])
    func `leaves the one that is loaded as it is where another cannot be`(name: String) throws {
        let server = try ScriptedServer([.init(certificate: TestAuthority.path("expired"))])
        let transport = LibcurlTransport.impatient(authorities: TestAuthority.file)
        func refusal() -> String? { transport.failure(HTTPRequest(.get, server.url("/", scheme: "https")))?.message }
        let before = try #require(refusal())
        #expect(throws: TransportError.self) { try CurlLibrary.load(name) }
        #expect(refusal() == before)
    }

    @Test(
        arguments: [
            (0x07_4A_00, "OpenSSL/1.1.1n", "libcurl 7.74.0 is too old: 7.80 is needed"),
            (0x07_58_01, "", "this libcurl cannot encrypt"), (0x08_07_01, "GnuTLS/3.8.0", nil),
        ] as [(UInt32, String, String?)])
    func `refuses one that lacks what requests need`(version: UInt32, tls: String, message: String?) {
        do throws(TransportError) {
            _ = try CurlLibrary(version: version, tls: tls).checked()
            #expect(message == nil)
        } catch {
            #expect(error == TransportError(.unavailable, message ?? ""))
        }
    }
}
