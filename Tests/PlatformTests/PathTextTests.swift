import Platform
import Testing

@Suite struct PathTextTests {
    @Test(arguments: [
        ("/a/b", "/a" as String?), ("/a/b/", "/a"), ("/a//b", "/a"), ("/a", "/"), ("//a", "/"), ("/", nil),
        ("///", nil), ("a", nil), ("a/b", "a"), ("/a/e\u{301}/\u{301}b", "/a/e\u{301}"),
    ])
    func `knows the folder above`(path: String, parent: String?) {
        #expect(path.parentPath == parent)
    }

    @Test(arguments: [
        ("/home/ada/.config", "/home/ada/.config"), ("a-b_c.d:e@f%g+h", "a-b_c.d:e@f%g+h"), ("", "''"),
        ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$(rm)", "'$(rm)'"), ("`rm`", "'`rm`'"), ("a;b", "'a;b'"),
        ("~", "'~'"), ("*", "'*'"), ("é", "'é'"), ("a\nb", "'a\nb'"), ("\"", "'\"'"), ("\\", "'\\'"), ("'", #"''\'''"#),
        ("'\u{301}", "''\\''\u{301}'"),
    ])
    func `is quoted where a shell would act on it`(text: String, quoted: String) {
        #expect(text.shellQuoted == quoted)
    }

    @Test(arguments: [
        (nil as String?, nil as String?, false), ("", nil, false), ("0", "0", false), ("false", "false", false),
        ("1", "1", true), ("true", "true", true), ("no", "no", true),
    ])
    func `is a variable that is set, or a switch that is on`(value: String?, expected: String?, isOn: Bool) {
        let environment = Environment.fixed(value.map { ["X": $0] } ?? [:])
        #expect(environment["X"] == expected)
        #expect(environment.isOn("X") == isOn)
        #expect(environment.givenValue("X") == value)
    }
}
