import Expectations

@testable import AccountServer

@Suite struct RequestTargetTests {
    @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
    func `a request target is split at its delimiters even if combining marks follow them`(mark: String) {
        let target = RequestTarget(
            "local:/parse/\(mark)a/\(mark)b?\(mark)c=\(mark)d&\(mark)e=f#\(mark)g", mount: "local:/parse")
        #expect(target.isInsideMount)
        expect(target.path, ["\(mark)a", "\(mark)b"])
        expect(target.query.map(\.name), ["\(mark)c", "\(mark)e"])
        expect(target.query.map(\.value), ["\(mark)d", "f"])
    }

    @Test(arguments: ["", "/parse", "local:/parse", "local:/parsec/a", "local:/pars/e", "?", "#", "/?#"])
    func `a URL that is not below the server's mount path has an empty request path`(url: String) {
        let target = RequestTarget(url, mount: "local:/parse")
        #expect(!target.isInsideMount)
        expect(target.path, [""])
    }
}
