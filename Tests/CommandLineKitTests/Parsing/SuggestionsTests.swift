import Testing

@testable import CommandLineKit

@Suite struct SuggestionsTests {
    @Test(arguments: [
        ("logni", ["login"]), ("lgoin", ["login"]), ("logins", ["login"]), ("Login", ["login"]),
        ("log", ["login", "logout"]), ("logou", ["logout"]), ("session", ["sessions", "sessions revoke"]),
        ("tokn", ["token"]), ("l", []), ("", []), ("t0k3n5", []), ("help-me", []), ("exce", ["exec"]),
    ])
    func `at most the two closest names are suggested for a misspelled word`(word: String, expected: [String]) {
        let names = ["login", "logout", "token", "exec", "sessions", "sessions revoke", "link-facebook"]
        #expect(Suggestions.closest(to: word, among: names) == expected)
    }

    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "adc", 1),
        ("abc", "ab", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func `the edit distance counts inserted, deleted, replaced and swapped letters`(
        first: String, second: String, distance: Int
    ) {
        #expect(Suggestions.distance(first, second) == distance)
    }

    @Test func `a did-you-mean question names the suggested word, and is omitted without a suggestion`() {
        #expect(Suggestions.question(for: "xyzzy", among: ["login"]) == nil)
        #expect(Suggestions.question(for: "login", among: ["login"])?.contains("'login'") == true)
        #expect(Suggestions.question(for: "jsno", among: ["json"], dashes: "--")?.contains("'--json'") == true)
    }
}
