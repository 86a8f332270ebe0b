import Expectations
import Foundation
import JSON
import Platform
import Transport

@testable import AccountServer

@Suite struct MailTests {
    /// A server that sends e-mails, with the user `ada` at `ada@example.com`.
    private struct World {
        let mail = MemoryMail()
        let time = SharedTime()
        let user: SignedUp
        var server: TestServer { user.server }

        init(requiresVerifiedEmail: Bool = false) throws {
            let (mail, time) = (mail, time)
            user = try SignedUp("", email: "ada@example.com") {
                $0.mail = mail
                $0.publicURL = "https://accounts.test/parse"
                $0.requiresVerifiedEmail = requiresVerifiedEmail
                $0.clock = WallClock { time.now }
            }
        }

        func ask(_ path: String) throws -> Answer {
            try server.send(.post, path, #"{"email":"ada@example.com"}"#)
        }

        /// The link in the newest e-mail, as a path of this server.
        func link() throws -> String {
            let text = try #require(mail.all.last?.text)
            let line = try #require(text.split(separator: "\r\n").first { $0.hasPrefix("https://accounts.test/parse") })
            return String(line.dropFirst("https://accounts.test/parse".count))
        }

        /// Sends a request as a browser does: without the application id in its headers.
        func browse(_ method: HTTPRequest.Method, _ path: String, _ form: String? = nil, isScript: Bool = false) throws
            -> Answer
        {
            var headers: HTTPHeaders = [:]
            if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
            if isScript { headers["X-Requested-With"] = "XMLHttpRequest" }
            let request = HTTPRequest(
                method, "local:/parse" + path, headers: headers, body: form.map { Array($0.utf8) })
            return Answer(try server.transport.send(request))
        }

        func resetForm(_ password: String) throws -> (path: String, form: String) {
            let parts = try link().split(separator: "?")
            return (String(parts[0]), "\(parts[1])&new_password=\(password)")
        }
    }

    @Test func `an e-mail has the required header fields`() throws {
        let world = try World()
        try expect(world.ask("/requestPasswordReset").line, "200 {}")
        let lines = try #require(world.mail.all.first?.text).components(separatedBy: "\r\n")
        expect(lines[0...1], ["From: authctl <no-reply@localhost>", "To: <ada@example.com>"])
        #expect(lines[2].hasPrefix("Subject: ") && lines[2].utf8.count > 9)
        expect(lines[3], "Date: Fri, 02 Jan 2026 03:04:05 +0000")
        #expect(lines[4].hasPrefix("Message-ID: <") && lines[4].hasSuffix("@authctl.localhost>"))
        #expect(lines.contains("Content-Type: text/plain; charset=utf-8"))
        #expect(!lines.contains { $0.contains("\n") || $0.contains("\r") })
        #expect(try world.link().hasSuffix("&username=ada"))
    }

    @Test func `a reset link opens a form, and submitting the form sets a password and revokes all sessions`() throws {
        let world = try World()
        _ = try world.ask("/requestPasswordReset")
        let page = try world.browse(.get, world.link())
        #expect(page.status == 200 && page.text.contains(#"name="new_password""#))
        expect(page.response.headers["Referrer-Policy"], "same-origin")
        expect(page.response.headers["Cache-Control"], "no-store")
        let (path, form) = try world.resetForm("new+secret")
        try expect(world.browse(.post, path, form).status, 200)
        try expect(world.user.me().code, 209)
        try expect(world.server.logIn("ada").code, 101)
        try expect(world.server.logIn("ada", password: "new secret").status, 200)
        try expect(world.browse(.post, path, form).status, 400, "once only")
        try expect(world.browse(.get, world.link()).status, 400)
    }

    @Test func `a password reset with the header field X-Requested-With gets a JSON response`() throws {
        let world = try World()
        _ = try world.ask("/requestPasswordReset")
        let (path, form) = try world.resetForm("new")
        func post(_ form: String) throws -> String { try world.browse(.post, path, form, isScript: true).line }
        try expect(post("new_password=x"), #"400 {"code":-1,"error":"Missing token"}"#)
        try expect(post("token=x"), #"400 {"code":201,"error":"Missing password"}"#)
        try expect(post("token=x&new_password="), #"400 {"code":201,"error":"Missing password"}"#)
        let invalid = #"400 {"code":-1,"error":"Failed to reset password: username / email / token is invalid"}"#
        try expect(post("token=x&new_password=y"), invalid)
        try expect(post(form.replacing("username=ada", with: "username=bob")), invalid)
        try expect(post(form), #"200 "Password successfully reset""#)
        try expect(post(form), invalid)
    }

    @Test func `only one of twenty parallel uses of a password-reset link succeeds`() throws {
        let world = try World()
        _ = try world.ask("/requestPasswordReset")
        let (path, form) = try world.resetForm("")
        let folder = world.server.folder
        let statuses = atOnce(20) { index in
            let server = try TestServer(in: folder)
            let request = HTTPRequest(
                .post, "local:/parse" + path, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array("\(form)new-\(index)".utf8))
            return try server.transport.send(request).status.description
        }
        expect(statuses.sorted(), ["200"] + Array(repeating: "400", count: 19))
        let winner = try #require(statuses.firstIndex(of: "200"))
        try expect(world.server.logIn("ada", password: "new-\(winner)").status, 200)
    }

    @Test func `a reset link is invalid after an hour, after a newer link, and after a change of e-mail or password`()
        throws
    {
        let world = try World()
        func isGood() throws -> Bool { try world.browse(.get, world.link()).status == 200 }
        _ = try world.ask("/requestPasswordReset")
        world.time.advance(by: .seconds(3599))
        #expect(try isGood())
        world.time.advance(by: .seconds(1))
        #expect(try !isGood())
        _ = try world.ask("/requestPasswordReset")
        let old = try world.link()
        _ = try world.ask("/requestPasswordReset")
        try expect(world.browse(.get, old).status, 400)
        #expect(try isGood())
        try expect(world.user.put(#"{"email":"new@example.com"}"#).status, 200)
        #expect(try !isGood(), "it went to the old address")
        _ = try world.server.send(.post, "/requestPasswordReset", #"{"email":"new@example.com"}"#)
        #expect(try isGood())
        try expect(world.user.put(#"{"password":"new"}"#).status, 200)
        #expect(try !isGood())
    }

    @Test func `the token of a verification link does not reset a password`() throws {
        let world = try World()
        _ = try world.ask("/verificationEmailRequest")
        let token = try #require(world.mail.lastToken("verify_email"))
        try expect(world.browse(.get, "/apps/test-app/request_password_reset?token=\(token)").status, 400)
        let form = "token=\(token)&new_password=x"
        try expect(world.browse(.post, "/apps/test-app/request_password_reset", form).status, 400)
        try expect(world.browse(.get, "/apps/other/verify_email?token=\(token)").status, 404)
        try expect(world.browse(.get, "/apps/test-app/verify_email?token=").status, 400)
        try expect(world.browse(.get, "/apps/test-app/verify_email?token=\(token)").status, 200)
    }

    @Test func `a verification link verifies the e-mail address, and a changed address is unverified`() throws {
        let world = try World(requiresVerifiedEmail: true)
        expect(world.mail.all.map(\.recipient), ["ada@example.com"])
        try expect(world.browse(.get, world.link()).status, 200)
        let token = try world.server.logIn("ada").token
        func isVerified() throws -> JSONValue? {
            try world.server.send(.get, "/users/me", token: token).json?["emailVerified"]
        }
        try expect(isVerified(), true)
        try expect(world.browse(.get, world.link()).status, 400)
        try expect(world.ask("/verificationEmailRequest").line, "200 {}")
        let change = #"{"email":"new@example.com"}"#
        try expect(world.server.send(.put, "/users/\(world.user.id)", change, token: token).status, 200)
        try expect(isVerified(), false)
        expect(world.mail.all.map(\.recipient), ["ada@example.com", "new@example.com"])
    }

    @Test func `a server that requires a verified e-mail address rejects a login before the verification`() throws {
        let world = try World(requiresVerifiedEmail: true)
        #expect(world.user.token.isEmpty)
        let rejected = #"400 {"code":205,"error":"User email is not verified."}"#
        try expect(world.server.logIn("ada").line, rejected)
        try expect(world.server.logIn("ada", password: "wrong").code, 101)
        _ = try world.browse(.get, world.link())
        try expect(world.server.logIn("ada").json?["emailVerified"], true)
    }

    @Test(
        arguments: [
            (#"{}"#, 204, 204), (#"{"email":""}"#, 204, 204), (#"{"email":null}"#, 204, 204),
            (#"{"email":5}"#, 125, 125),
            (#"{"email":{"$ne":""}}"#, 125, 125), (#"{"email":["ada@example.com"]}"#, 125, 125),
            (#"{"email":"nobody@example.com"}"#, nil, nil), (#"{"email":"ADA@example.com"}"#, nil, nil),
            (#"{"token":"x"}"#, 125, 204), (#"{"token":{"$regex":"."}}"#, 125, 204),
        ] as [(String, Int64?, Int64?)])
    func `an invalid or unknown address gets no e-mail`(body: String, reset: Int64?, verification: Int64?) throws {
        let world = try World()
        try expect(world.server.send(.post, "/requestPasswordReset", body).code, reset)
        try expect(world.server.send(.post, "/verificationEmailRequest", body).code, verification)
        #expect(world.mail.all.isEmpty)
    }

    @Test func `an in-process request for a verification e-mail fails for an unknown or verified address`() throws {
        let mail = MemoryMail()
        let server = try TestServer {
            $0.mail = mail
            $0.isInProcess = true
            $0.requiresVerifiedEmail = true
        }
        try server.signUp("ada", email: "ada@example.com")
        func ask(_ address: String) throws -> String {
            try server.send(.post, "/verificationEmailRequest", #"{"email":"\#(address)"}"#).line
        }
        try expect(
            ask("nobody@example.com"), #"400 {"code":205,"error":"No user found with email nobody@example.com"}"#)
        let token = try #require(mail.lastToken("verify_email"))
        try expect(server.send(.get, "/apps/test-app/verify_email?token=\(token)").status, 200)
        let already = #"400 {"code":-1,"error":"Email ada@example.com is already verified."}"#
        try expect(ask("ada@example.com"), already)
    }

    @Test func `a request for an e-mail is rejected if the server is not configured to send e-mail`() throws {
        let server = try TestServer()
        for path in ["/requestPasswordReset", "/verificationEmailRequest"] {
            let answer = try server.send(.post, path, "{}")
            #expect(answer.status == 500 && answer.code == 1 && answer.keys == ["code", "error"])
        }
    }

    @Test(arguments: ["a@b,c@d", "a@b>", "\"a\"@b", "a b@c", "a@b\u{85}", "a@b;c"])
    func `no e-mail is sent to an address that would break a header field`(email: String) throws {
        let world = try World()
        try expect(world.server.signUp("odd", email: email).status, 201)
        let body = JSONValue.object(["email": .string(email)]).text
        try expect(world.server.send(.post, "/requestPasswordReset", body).line, "200 {}")
        try expect(world.server.send(.post, "/verificationEmailRequest", body).code, 125)
        #expect(world.mail.all.isEmpty)
    }

    @Test func `a username is escaped in a password-reset link and in the page behind the link`() throws {
        let world = try World()
        let name = #"<b>"'&\#u{301}"\#u{301} =?"#
        _ = try world.server.signUp(name, email: "odd@example.com")
        _ = try world.server.send(.post, "/requestPasswordReset", #"{"email":"odd@example.com"}"#)
        let page = try world.browse(.get, world.link())
        expect(page.status, 200)
        let value = "&lt;b&gt;&quot;&#39;&amp;\u{301}&quot;\u{301} =?"
        #expect(page.text.contains(#"name="username" value="\#(value)">"#))
        let long = String(repeating: "u", count: 70_000)
        _ = try world.server.signUp(long, email: "long@example.com")
        _ = try world.server.send(.post, "/requestPasswordReset", #"{"email":"long@example.com"}"#)
        try expect(world.browse(.get, world.link()).status, 200)
        #expect(
            world.mail.all.allSatisfy { $0.text.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count < 998 } })
    }

    @Test func `the database files do not contain the plaintext token of a reset link`() throws {
        let world = try World()
        _ = try world.ask("/requestPasswordReset")
        let token = try #require(world.mail.lastToken("request_password_reset"))
        expect(token.utf8.count, 32)
        let names = try FileManager.default.contentsOfDirectory(atPath: world.server.folder.path)
        #expect(names.contains("accounts.db"))
        for name in names {
            try expect(world.server.folder.bytes(name).range(of: Data(token.utf8.prefix(16))), nil)
        }
    }

    @Test func `a reset request fails if its e-mail cannot be written, but a signup succeeds`() throws {
        let folder = TestFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("mail")))
        let server = try TestServer(in: folder) {
            $0.mail = MailFolder(folder.place.subfolder("mail"))
            $0.requiresVerifiedEmail = true
        }
        try expect(server.signUp("ada", email: "ada@example.com").status, 201)
        let error = #expect(throws: TransportError.self) {
            try server.send(.post, "/requestPasswordReset", #"{"email":"ada@example.com"}"#)
        }
        expect(error?.message.contains(folder.path("mail")), true)
    }
}

/// An outlet that delivers no e-mail before `open`, and then fails.
private final class ClosedOutlet: MailOutlet {
    private let isOpen = Monitor(false)

    func open() { isOpen.change { $0 = true } }

    func deliver(_ mail: Mail) throws(FileError) {
        isOpen.wait { $0 ? () : nil }
        throw FileError(.notWritten, "no e-mail to \(mail.recipient)")
    }
}

@Suite struct MailQueueTests {
    /// Otherwise, the time of the response would tell which address has an account.
    @Test func `a queue writes an e-mail after the response, and reports the error`() throws {
        let (outlet, errors) = (ClosedOutlet(), Monitor([String]()))
        let queue = MailQueue { error in errors.change { $0.append(error) } }
        let server = try TestServer {
            $0.mail = outlet
            $0.mailQueue = queue
        }
        try server.signUp("ada", email: "ada@example.com")
        for path in ["/requestPasswordReset", "/verificationEmailRequest"] {
            for address in ["ada@example.com", "nobody@example.com"] {
                try expect(server.send(.post, path, #"{"email":"\#(address)"}"#).line, "200 {}")
            }
        }
        outlet.open()
        queue.finish()
        let error = "cannot send an e-mail: no e-mail to ada@example.com"
        expect(errors.change { $0 }, [error, error])
    }
}

@Suite struct MailFolderTests {
    @Test func `each e-mail is a separate file that only its owner can read`() throws {
        let folder = TestFolder()
        let server = try TestServer { $0.mail = MailFolder(folder.place.subfolder("mail")) }
        try server.signUp("ada", email: "ada@example.com")
        for _ in 1...3 { _ = try server.send(.post, "/requestPasswordReset", #"{"email":"ada@example.com"}"#) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("mail"))
            .filter { !$0.hasPrefix(".") }
        expect(names.count, 3)
        for name in names {
            #expect(name.hasPrefix("20260102T030405678Z-") && name.hasSuffix(".eml"))
            try expect(folder.mode("mail/\(name)"), 0o600)
            #expect(try String(decoding: folder.bytes("mail/\(name)"), as: UTF8.self).contains("local:/parse/apps/"))
        }
        try expect(folder.mode("mail"), 0o700)
    }
}
