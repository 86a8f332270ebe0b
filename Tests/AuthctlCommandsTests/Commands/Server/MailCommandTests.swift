import AuthClient
import CommandTestSupport
import Platform

@testable import AuthctlCommands

@Suite struct MailCommandTests {
    private static let link = "http://127.0.0.1:1337/parse/apps/local/verify_email?token=0f3a&username=ada"
    private static let verification = ReceivedMail(
        recipient: "ada@example.org", subject: "Verify your e-mail address", date: .sampleNow, link: link,
        purpose: .verification)
    private static let reset = ReceivedMail(
        recipient: "bob@example.org", subject: "Choose a new\u{1B}[31m password", date: .sampleNow,
        link: "https://example.org/reset/1", purpose: .reset)
    private static let code = ReceivedMail(
        recipient: "Ada@example.org", subject: "Your code", codes: ["MPDF-FRQW"], purpose: .verification)

    private let world = TestContext()

    init() {
        world.mails = [[Self.verification, Self.reset, Self.code]]
    }

    @Test func `mail lists all e-mails, the newest last`() {
        let result = world.run("mail")
        result.expectTranscript(in: "mail")
        expect(world.run("mail", "--quiet").stdout, result.stdout)
    }

    @Test func `mail --json prints the recipient, subject, time, link and code of each matching e-mail`() {
        expect(
            world.run("mail", "--json", "--to", "ada@example.org").stdout,
            #"{"v":1,"kind":"mail","items":[{"to":"ada@example.org","subject":"Verify your e-mail address","#
                + #""at":"\#(Instant.sampleNow.text)","link":"\#(Self.link)","code":null},"#
                + #"{"to":"Ada@example.org","subject":"Your code","at":null,"link":null,"code":"MPDF-FRQW"}]}"# + "\n")
    }

    @Test(arguments: [
        (["--link"], "https://example.org/reset/1"), (["--link", "--to", "ADA@example.org"], link),
        (["--link", "--for=verification"], link), (["--code", "--to", "eve@example.org"], "MPDF-FRQW"),
    ])
    func `mail --link and --code print only the link or code of the newest match`(words: [String], expected: String) {
        var code = Self.code
        code.recipient = "eve@example.org"
        world.mails = [[code, Self.verification, Self.reset]]
        expect(world.run(words: ["mail"] + words).stdout, expected + "\n")
    }

    @Test func `mail exits with code 7 if no e-mail matches or the newest match lacks the requested link or code`() {
        let lines = [
            ["--to", "eve@example.org"], ["--to", "bob@example.org", "--for", "verification"],
            ["--for", "reset", "--code"], ["--to", "ada@example.org", "--link"], ["--link"],
        ]
        world.expectErrors(in: "mail", of: lines.map { ["mail"] + $0 }, exitCode: 7)
    }

    @Test func `mail --wait checks repeatedly until a matching e-mail arrives`() {
        world.mails = [[], [Self.reset], [Self.reset, Self.verification]]
        expect(world.run("mail", "--for", "verification", "--wait", "5", "--link").stdout, Self.link + "\n")
    }

    @Test(arguments: [["--wait", "8"], []])
    func `mail waits for the end of an e-mail that is still being written`(words: [String]) {
        var half = Self.verification
        (half.link, half.isUnfinished) = ("http://127.0.0.1:1337/par", true)
        world.mails = [[half], [half], [Self.verification]]
        expect(world.run(words: ["mail", "--link"] + words).stdout, Self.link + "\n")
        // A complete e-mail may lack the line ending, too.
        world.mails = [[half]]
        expect(world.run(words: ["mail", "--link"] + words).stdout, "http://127.0.0.1:1337/par\n")
    }

    @Test func `mail --to finds and shows each recipient of an e-mail`() {
        let parts = [MailPart("https://a.example/1")]
        world.mails = [
            [ReceivedMail(recipients: ["eve@a.example", "Ada@a.example"], subject: "x", date: nil, parts: parts)]
        ]
        #expect(world.run("mail", "--json", "--to", "ada@a.example").stdout.contains(#""to":"Ada@a.example""#))
        expect(world.run("mail", "--to", "da@a.example").exitCode, 7)
    }

    @Test func `mail --wait fails when its time limit expires`() {
        world.mails = [[Self.reset]]
        let result = world.run("mail", "--for", "verification", "--wait", "0.5", "--json")
        expect(result.exitCode, 7)
        #expect(result.stderr.contains(#""reason":"not-found""#))
    }

    @Test func `mail --code fails if several words of the newest matching e-mail could be the code`() {
        var ambiguous = Self.code
        ambiguous.codes = ["123456", "2026"]
        world.mails = [[Self.code, ambiguous]]
        world.run("mail", "--code").expectErrors(in: "mail", "--code", exitCode: 7)
    }

    // MARK: - Mail folders

    @Test
    func `--mail-dir overrides AUTHCTL_MAIL_DIR, which overrides the mail folder of the profile`() {
        _ = world.run("mail")
        world.configuration.put([Self.profile("site", ["mailDir": "/srv/mails"]), Self.profile("both", Self.both)])
        _ = world.run("mail", "-p", "site")
        world.environment = ["AUTHCTL_MAIL_DIR": "/run/mail"]
        _ = world.run("mail", "-p", "site")
        _ = world.run("mail", "-p", "both", "--mail-dir", "mails")
        #expect(
            world.mailFolders.lines == [
                "local", "/srv/mails (from profile 'site')", "/run/mail (from AUTHCTL_MAIL_DIR)",
                "mails (from --mail-dir)",
            ])
    }

    private static let both: JSONObject = ["mailDir": "/srv/mails", "mailpit": "http://127.0.0.1:8025"]

    private static func profile(_ name: String, _ settings: JSONObject) -> Profile {
        let place: JSONObject = ["backend": "rest-auth", "server": "https://a.example/rest-auth"]
        return Profile(name: name, settings: JSONObject(place.members + settings.members))
    }

    @Test func `mail requires either a folder or a Mailpit server and rejects a malformed or unencrypted URL`() {
        world.mails = nil
        world.configuration.put([Self.profile("site", [:]), Self.profile("both", Self.both)])
        let lines = [
            ["-p", "site"], ["-p", "both"], ["--mailpit", "http://mail.example:8025"], ["--mailpit", "mail.example"],
        ]
        world.expectErrors(in: "mail", of: lines.map { ["mail"] + $0 })
    }

    // MARK: - Test controls

    @Test func `mail reads the e-mails of the test controls in AUTHCTL_CONTROL_URL`() {
        world.mails = nil
        world.environment = ["AUTHCTL_CONTROL_URL": "http://127.0.0.1:1337/5ecre7controlpath"]
        let item = #"{"to":"ada@example.org","subject":"Hello","at":"2026-06-01T00:00:00Z","link":"\#(Self.link)"}"#
        let request = "GET http://127.0.0.1:1337/5ecre7controlpath/mails\nAccept: application/json"
        world.network.expect(Exchange(request, 200, #"{"items":[\#(item)]}"#))
        expect(world.run("mail", "--for", "verification", "--link").stdout, Self.link + "\n")
        world.network.expect(Exchange(request, 404, #"{"error":"5ecre7controlpath"}"#))
        let failure = world.run("mail", "-v")
        failure.expectErrors(in: "mail", "controls", exitCode: 8)
        #expect(!failure.stderr.contains("5ecre7"))
    }

    @Test(arguments: ["https://example.org/5ecre7", "5ecre7"])
    func `AUTHCTL_CONTROL_URL must be a loopback URL, and no message shows it`(url: String) {
        world.mails = nil
        world.environment = ["AUTHCTL_CONTROL_URL": url]
        let result = world.run("mail")
        #expect(result.exitCode == 2 && !result.stderr.contains("5ecre7"))
    }

    // MARK: - Mailpit

    private func expectSearch(
        for query: String? = nil, at url: String = "http://127.0.0.1:8025", status: Int = 200, _ body: String
    ) {
        let path = query.map { "search?limit=50&query=\($0)" } ?? "messages?limit=50"
        world.network.expect(Exchange("GET \(url)/api/v1/\(path)\nAccept: application/json", status, body))
    }

    private func expectMessage(
        _ id: String, at url: String = "http://127.0.0.1:8025", _ answer: Result<String, TransportError>
    ) {
        let request = "GET \(url)/api/v1/message/\(id)\nAccept: application/json"
        switch answer {
        case .success(let text):
            world.network.expect(Exchange(request, 200, #"{"ID":"\#(id)","Text":"\#(text)","HTML":""}"#))
        case .failure(let error): world.network.expect(Exchange(request, error))
        }
    }

    private static func found(_ items: (id: String, to: String, subject: String)...) -> String {
        let list = items.map {
            #"{"ID":"\#($0.id)","To":[{"Name":"","Address":"bob@example.org"},{"Name":"","Address":"\#($0.to)"}],"#
                + #""Subject":"\#($0.subject)","Created":"2026-06-01T02:00:00.5+02:00"}"#
        }
        return #"{"total":9,"messages":[\#(list.joined(separator: ","))]}"#
    }

    private static let text = #"Open https://a.example/verify/1?a=1&b=2\n"#

    @Test func `mail lists only Mailpit e-mails whose recipient equals the address of --to`() {
        world.mails = nil
        expectSearch(
            for: "ada%40example.org",
            Self.found(
                ("c", "ada@example.organic", "Hi"), ("b/1", "Ada@example.org", "New"), ("a", "ada@example.org", "Old")))
        expectMessage("b%2F1", .success(Self.text))
        expectMessage("a", .success(Self.text))
        world.run("mail", "--mailpit", "http://127.0.0.1:8025/", "--to", "ada@example.org").expectTranscript(in: "mail")
    }

    @Test func `mail --wait searches a Mailpit server repeatedly and reads each e-mail once`() {
        world.mails = nil
        world.configuration.put([Self.profile("site", ["mailpit": "https://mail.example/pit"])])
        let url = "https://mail.example/pit"
        expectSearch(at: url, Self.found(("a", "x@y.z", "Hi")))
        expectMessage("a", at: url, .success("Hello"))
        expectSearch(at: url, Self.found(("a", "x@y.z", "Hi")))
        expectSearch(at: url, Self.found(("b", "x@y.z", "Hi"), ("a", "x@y.z", "Hi")))
        expectMessage("b", at: url, .success(Self.text))
        let result = world.run(
            "mail", "-p", "site", "--wait", "5", "--link", "--timeout", "7", "--ca-cert", "/ca", "-v")
        expect(result.stdout, "https://a.example/verify/1?a=1&b=2\n")
        // The connection options apply to Mailpit too.
        let settings = world.networkSettings.settings
        #expect(settings.map(\.timeLimit) == [.seconds(7)] && settings.map(\.authorities) == ["/ca"])
        #expect(result.stderr.contains("> GET https://mail.example/pit/api/v1/messages\n"))
    }

    @Test(arguments: [
        (302, ""), (401, "Unauthorised"), (500, "x"), (200, "{}"),
    ])
    func `mail fails on an unexpected response from a Mailpit server`(status: Int, body: String) {
        world.mails = nil
        for _ in 0..<(status == 500 ? 3 : 1) { expectSearch(status: status, body) }
        let result = world.run("mail", "--mailpit", "http://127.0.0.1:8025")
        result.expectErrors(in: "mail", "\(status) \(body): exit \(result.exitCode)", exitCode: result.exitCode)
    }

    @Test func `mail lists the other Mailpit e-mails if an e-mail is too large or was deleted`() {
        world.mails = nil
        expectSearch(Self.found(("c", "x@y.z", "Deleted"), ("b", "x@y.z", "Large"), ("a", "x@y.z", "Small")))
        world.network.expect(
            Exchange("GET http://127.0.0.1:8025/api/v1/message/c\nAccept: application/json", 404, "Not found"))
        expectMessage(
            "b", .failure(TransportError(.invalidResponse, "the response is too large", wasSent: true, isFinal: true)))
        expectMessage("a", .success(Self.text))
        world.run("mail", "--mailpit", "http://127.0.0.1:8025").expectTranscript(in: "mail")
    }

    @Test func `mail --to finds the recipients of copies on a Mailpit server`() {
        world.mails = nil
        expectSearch(
            for: "ada%40example.org",
            #"{"messages":[{"ID":"a","To":[],"Cc":[{"Address":"x@y.z"}],"Bcc":[{"Address":"ada@example.org"}]}]}"#)
        expectMessage("a", .success(Self.text))
        let result = world.run("mail", "--mailpit", "http://127.0.0.1:8025", "--to", "ada@example.org", "--json")
        #expect(result.stdout.contains(#""to":"ada@example.org""#))
    }

    @Test func `at most the newest 50 e-mails of a Mailpit server are read, and only until the time limit ends`() throws
    {
        let items = (0..<60).map { #"{"ID":"\#($0)","To":[{"Address":"x@y.z"}],"Subject":"\#($0)"}"# }
        let list = Exchange(
            "GET http://a/api/v1/messages?limit=50\nAccept: application/json", 200,
            #"{"messages":[\#(items.joined(separator: ","))]}"#)
        for (seconds, count) in [(0, 50), (4, 15)] {
            let (transport, warnings, reads) = (ReplayingTransport(list), Journal(), Journal())
            for id in 0..<count {
                transport.expect(Exchange("GET http://a/api/v1/message/\(id)\nAccept: application/json", 200, "{}"))
            }
            // Each e-mail takes some seconds: the clock is read for the end, the list, and twice for each e-mail but the first.
            let reader = MailpitReader(
                "http://a", to: nil, transport, timeLimit: .seconds(30), wait: .seconds(60),
                clock: {
                    reads.add("")
                    return .seconds(seconds * max(0, reads.lines.count - 2) / 2)
                }, warn: { warnings.add($0) })
            try expect(reader.mails().map(\.subject), (0..<count).reversed().map { "\($0)" })
            expect(warnings.lines.count, (seconds == 0 ? 0 : 1))
        }
    }

    @Test(arguments: [["--mailpit", "http://mail.example:8025", "--allow-http"], ["-p", "plain"]])
    func `mail reads from a Mailpit server over plain HTTP if an option or the profile allows it`(words: [String]) {
        world.mails = nil
        let server: JSONObject = [
            "backend": "rest-auth", "server": "https://a.example", "allowHttp": true,
            "mailpit": "http://mail.example:8025",
        ]
        world.configuration.put([Profile(name: "plain", settings: server)])
        expectSearch(at: "http://mail.example:8025", Self.found())
        let result = world.run(words: ["mail"] + words)
        expect(result.exitCode, 7)
        #expect(result.stderr.contains("connection to 'http://mail.example:8025' is not encrypted"))
    }
}
