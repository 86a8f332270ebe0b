import Testing

@testable import Platform

@Suite struct HexadecimalTests {
    @Test func `hexadecimal text has two lowercase digits per byte`() {
        #expect([UInt8]().hexadecimal == "")
        #expect([0x00, 0x0F, 0xA0, 0xFF].hexadecimal == "000fa0ff")
    }
}
