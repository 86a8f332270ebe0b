import Expectations

@testable import Transport

/// What header fields tell about further pages. The links are examples of RFC 8288 and of GitHub's API.
@Suite struct PageHeadersTests {
    @Test(
        arguments: [
            (["Link": "<https://a.example/?p=2>; rel=\"next\""], "https://a.example/?p=2", false),
            (["Link": "<?p=1>; rel=\"prev\", <?p=3>; rel=\"next\", <?p=9>; rel=\"last\""], "?p=3", true),
            (["Link": "</a,b;c>;REL=Next ; title=\"x, <y>; rel=\\\"z\""], "/a,b;c", false),
            (["Link": "</t>; title=\"a, b; rel=next\"; rel=\"first start\""], nil, true),
            (["Link": "</t>; rel=\"start next\""], "/t", false), (["Link": "</x>; rel=stylesheet"], nil, false),
            (["Link": "</x>; rel=canonical; rel=next"], nil, false), (["Link": "<unclosed; rel=next"], nil, false),
            ([:], nil, false),
        ] as [(HTTPHeaders, String?, Bool)])
    func `the field Link names the next page`(headers: HTTPHeaders, next: String?, isLinked: Bool) {
        let pages = PageHeaders(headers)
        expect(pages.next, next)
        expect(pages.isLinked, isLinked)
    }

    @Test(arguments: [
        ("0-9/25", true), ("items 10-24/25", false), ("*/25", false), ("0-9/*", false), ("bytes 0-9/", false),
    ])
    func `the field Content-Range tells whether the list goes on`(range: String, hasMore: Bool) {
        expect(PageHeaders(["Content-Range": range]).hasMore, hasMore)
    }
}
