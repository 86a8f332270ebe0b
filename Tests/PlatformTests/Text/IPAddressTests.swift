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
        ("10.1.2.3", "10.0.0.0/8", true), ("11.1.2.3", "10.0.0.0/8", false), ("10.1.2.3", "10.1.2.2/31", true),
        ("10.1.2.4", "10.1.2.2/31", false), ("10.1.2.3", "0.0.0.0/0", true), ("10.1.2.3", "10.1.2.3/32", true),
        ("10.1.2.3", "10.1.2.3/33", false), ("10.1.2.3", "10.0.0.0/x", false), ("10.1.2.3", "10.0.0.0/", false),
        ("10.1.2.3", "10.1.2.3", nil), ("10.1.2.3", "a.test/8", nil), ("fd12::1", "fd00::/8", true),
        ("fe12::1", "fd00::/8", false), ("fd12::1", "fd12::/127", true), ("fd12::2", "fd12::/127", false),
        ("fd12::1", "fd12::1/129", false), ("fd12::1", "0.0.0.0/0", false), ("10.1.2.3", "::/0", false),
    ])
    func `a CIDR block contains the addresses that begin with its prefix`(
        address: String, block: String, isInside: Bool?
    ) throws {
        #expect(try #require(IPAddress(address)).isIn(block: block) == isInside)
    }

    @Test(arguments: [
        "", "localhost", "127.1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "fe80::1%eth0", "127.0.0.1\0", " ::1",
    ])
    func `a malformed IP address is rejected`(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
