import CommandTestSupport
import JSON
import Platform

@testable import AuthBackends

@Suite struct HTMLFormTests {
    private static let token = "<input type='hidden' name=csrfmiddlewaretoken value=0123abcd>"

    private func forms(_ page: String) -> [HTMLForm] { HTMLForm.all(in: Array(page.utf8)) }

    private func login(_ fields: String) throws -> HTMLForm {
        try #require(forms("<form method=post>\(Self.token)\(fields)</form>").first)
    }

    @Test(arguments: [
        (#"<FORM ACTION="/a?b=1&amp;c=2" METHOD=POST><input NAME='x' value="a&quot;b">"#, "/a?b=1&c=2", #"a"b"#),
        ("<form\n action = /a/b\tmethod='post' ><input value='1>2' disabled_ name=x />", "/a/b", "1>2"),
        ("<!-- <form action=/no> --><form action=/a method=post><input name=x name=y value=1 value=2>", "/a", "1"),
        ("<script>'<form action=/no>'</SCRIPT><form action='' method=post><input name=x value>", "", ""),
        ("<form action=/a method=post><form action=/no><input name=x value=&#x41;&#66;&unknown;>", "/a", "AB&unknown;"),
        ("<a<b><form =a=1 action=/a method=post><input name=x value='a\nb'", "/a", nil),
    ])
    func `a form is read whatever its spelling, quotes, order and references`(
        page: String, action: String, value: String?
    ) throws {
        let form = try #require(forms(page).first)
        expect(form.action, action)
        #expect(form.isPosted)
        expect(form.fields.map(\.value), value.map { [$0] } ?? [])
    }

    @Test(arguments: [
        ("<input name=u><input type=password name=p>", true), ("<input type=PASSWORD name=p>", true),
        ("<input name=u>", false), ("<input type=password name=p><input type=password name=q>", false),
        ("<textarea><input type=password name=p></textarea>", false),
    ])
    func `a login form has a CSRF token beside one password field`(fields: String, isLogin: Bool) throws {
        try expect(login(fields).isLogin, isLogin)
        #expect(forms("<form>\(fields)</form>").allSatisfy { !$0.isLogin })
    }

    @Test func `a login sends what a browser would send, and the fields that the user names`() throws {
        let form = try login(
            """
            <input name=next type=hidden value="/a b"><input name=user required><input name=pass type=password required>
            <input name=company><input type=checkbox name=stay><input type=checkbox name=terms checked>
            <input type=file name=f><input type=submit name=go value=In><button name=other>Out</button>
            <input name=off disabled value=1>
            """)
        let body = String(decoding: form.body("a&b", Secret("p=ä"), ["company": "x"]), as: UTF8.self)
        expect(
            body,
            "csrfmiddlewaretoken=0123abcd&next=%2Fa%20b&user=a%26b&pass=p%3D%C3%A4&terms=on&go=In&company=x")
        expect(form.missing([:]), [])
    }

    @Test func `a login names the further fields and the captcha that its form requires`() throws {
        let form = try login(
            """
            <input name=user><input name=pass type=password><input name=company required><select name=team required>
            <input type=hidden name=h required><input type=checkbox name=terms required>
            <div class="g-recaptcha" data-sitekey=1></div>
            """)
        expect(form.missing(["team": "1"]), ["company", "terms"])
        expect(form.captchas, ["g-recaptcha"])
    }

    @Test(arguments: [
        ("<input name=token-otp_token>", true), ("<input name=x autocomplete='one-time-code'>", true),
        ("<input name=code>", true), ("<input name=postal_code>", false), ("<input name=title>", false),
        ("<input name=code><input type=password name=p>", false),
    ])
    func `a form that asks for a code is told by its fields`(fields: String, asks: Bool) throws {
        try expect(login(fields).asksForCode, asks)
    }

    @Test func `a page of any bytes has no more forms than tags`() {
        for page in [
            "<", "<form", "<form <form <form", "<form a='", "<!--<form>", "<script><form>", "</form><input name=x>",
        ] {
            expect(forms(page), [], page)
        }
    }
}
