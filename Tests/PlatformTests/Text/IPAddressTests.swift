import Platform
import Testing

@Suite struct IPAddressTests {
    /// Columns: the input; the normalized address, the host in a URL, whether the address is loopback, whether it is a
    /// wildcard.
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1 127.0.0.1 true false"), ("127.9.9.9", "127.9.9.9 127.9.9.9 true false"),
        ("::1", "::1 [::1] true false"), ("0:0:0:0:0:0:0:1", "::1 [::1] true false"),
        ("0.0.0.0", "0.0.0.0 0.0.0.0 false true"), ("::", ":: [::] false true"),
        ("192.168.1.5", "192.168.1.5 192.168.1.5 false false"), ("FE80::1", "fe80::1 [fe80::1] false false"),
    ])
    func `an IP address is normalized and recognized as loopback or wildcard`(text: String, expected: String) throws {
        let address = try #require(IPAddress(text))
        #expect("\(address.text) \(address.host) \(address.isLoopback) \(address.isWildcard)" == expected)
    }

    @Test(arguments: [
        "", "localhost", "127.1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "fe80::1%eth0", "127.0.0.1\0", " ::1",
    ])
    func `a malformed IP address is rejected`(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
