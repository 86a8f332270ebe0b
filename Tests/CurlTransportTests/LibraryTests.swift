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
}
