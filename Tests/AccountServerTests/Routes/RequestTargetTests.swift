import Testing

@testable import AccountServer

@Suite struct RequestTargetTests {
    @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
    func `is parted at its signs, though a combining mark stands behind them`(mark: String) {
        let target = RequestTarget(
            "local:/parse/\(mark)a/\(mark)b?\(mark)c=\(mark)d&\(mark)e=f#\(mark)g", mount: "local:/parse")
        #expect(target.isInsideMount)
        #expect(target.path == ["\(mark)a", "\(mark)b"])
        #expect(target.query.map(\.name) == ["\(mark)c", "\(mark)e"])
        #expect(target.query.map(\.value) == ["\(mark)d", "f"])
    }

    @Test(arguments: ["", "/parse", "local:/parse", "local:/parsec/a", "local:/pars/e", "?", "#", "/?#"])
    func `is outside of the mount`(url: String) {
        let target = RequestTarget(url, mount: "local:/parse")
        #expect(!target.isInsideMount)
        #expect(target.path == [""])
    }
}
