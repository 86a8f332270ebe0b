import Expectations
import Platform

@Suite struct ProgressNoticeTests {
    @Test(arguments: [
        (nil as Int?, "…", "/ creating accounts: 12 of 500 …"), (36, "…", "/ creating accounts: 12 of 500 …"),
        (20, "…", "/ creating accoun …"), (20, "...", "/ creating acco ..."), (3, "…", " …"), (1, "…", " …"),
    ])
    func `a progress notice leaves the last column of the terminal free`(width: Int?, ellipsis: String, line: String) {
        expect(ProgressNotice.line("creating accounts: 12 of 500", 1, width: width, ellipsis), line)
    }

    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], true), (["LANG": "C.utf8"], true), (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false),
        (["LC_ALL": "", "LC_CTYPE": "UTF-8"], true), (["LANG": "de_DE.ISO-8859-1"], false), ([:], false),
    ])
    func `the variables of the locale decide whether text may contain non-ASCII marks`(
        variables: [String: String], isUTF8: Bool
    ) {
        expect(Environment.fixed(variables).isUTF8, isUTF8)
        expect(Environment.fixed(variables).ellipsis, (isUTF8 ? "…" : "..."))
    }
}
