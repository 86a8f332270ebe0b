import AuthModel
import Expectations
import Platform

@testable import AuthClient

@Suite struct MailKeysTests {
    private static let links = (1...7).map { "https://a.example/\($0)" }
    private static let foreign = "https://a.example/9?username=eve"

    /// A code from an older e-mail is not sent, because a wrong code counts as an attempt.
    @Test(
        arguments: [
            (links, Array(links.reversed().prefix(5))), ([links[0], "123456", links[1]], [links[1], "123456"]),
            (["111111", "222222"], ["222222"]), ([links[0], foreign], [links[0]]), ([foreign], []),
        ] as [([String], [String])])
    func `the newest links and the newest code of an account are tried, if the server rejects them all`(
        keys: [String], tried: [String]
    ) throws {
        let mails = keys.map { key in
            let isLink = key.hasPrefix("https:")
            return ReceivedMail(
                recipient: "ada@example.org", subject: "", link: isLink ? key : nil, codes: isLink ? [] : [key],
                purpose: .verification)
        }
        var (search, found) = (MailKeys(of: User(username: "ada"), [.verification]), [String]())
        while let mail = try search.next(until: .zero, Waiting(now: { .zero }, pause: { _ in }), { mails }) {
            found.append(mail.link ?? mail.code ?? "")
            try search.pass(AuthError(.wrongCode, "used"))
        }
        expect(found, tried)
        expect(search.error("e-mail").reason, (tried.isEmpty ? .notFound : .wrongCode))
    }
}
