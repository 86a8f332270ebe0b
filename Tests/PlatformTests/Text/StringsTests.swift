import Platform
import Testing

@Suite struct StringsTests {
    @Test(arguments: [
        ("/home/ada/.config", "/home/ada/.config"), ("a-b_c.d:e@f%g+h", "a-b_c.d:e@f%g+h"), ("", "''"),
        ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$(rm)", "'$(rm)'"), ("`rm`", "'`rm`'"), ("a;b", "'a;b'"),
        ("~", "'~'"), ("*", "'*'"), ("é", "'é'"), ("a\nb", "'a\nb'"), ("\"", "'\"'"), ("\\", "'\\'"), ("'", #"''\'''"#),
        ("'\u{301}", "''\\''\u{301}'"),
    ])
    func `a string is shell-quoted unless it is a plain ASCII word`(text: String, quoted: String) {
        #expect(text.shellQuoted == quoted)
    }

    @Test(arguments: [
        ("a&#61;b&#x3D;c&#X2f;", "a=b=c/"), ("&lt;&amp;lt;&GT;&quot;&apos;", "<&lt;>\"'"),
        ("a&b&;&#;&#x;", "a&b&;&#;&#x;"),
        ("&unknown;&amp", "&unknown;&amp"), ("&#xD800;&#1114112;", "&#xD800;&#1114112;"), ("a&nbsp;b", "a\u{A0}b"),
    ])
    func `HTML character references are decoded once, and unknown ones are kept`(text: String, decoded: String) {
        #expect(text.decodingCharacterReferences == decoded)
    }

    @Test(arguments: [
        ([], ""), (["a"], "'a'"), (["a", "b"], "'a', 'b'"), (["a", "b", "c", "d"], "'a', 'b' and 2 more"),
    ])
    func `a quoted list contains the first strings and the number of omitted strings`(texts: [String], list: String) {
        #expect(texts.quotedList(atMost: 2) == list)
    }
}
