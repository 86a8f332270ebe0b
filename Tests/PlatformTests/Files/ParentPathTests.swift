import Platform
import Testing

@Suite struct ParentPathTests {
    @Test(arguments: [
        ("/a/b", "/a" as String?), ("/a/b/", "/a"), ("/a//b", "/a"), ("/a", "/"), ("//a", "/"), ("/", nil),
        ("///", nil), ("a", nil), ("a/b", "a"), ("/a/e\u{301}/\u{301}b", "/a/e\u{301}"),
    ])
    func `the parent of a path is the folder above it`(path: String, parent: String?) {
        #expect(path.parentPath == parent)
    }
}
