import AuthModel
import Expectations
import JSON
import Platform
import Transport

@testable import AuthBackends

@Suite struct DjangoFaultsTests {
    private func faults(_ body: String) throws -> DjangoFaults {
        DjangoFaults(try JSONValue(parsing: Array(body.utf8)), Masker())
    }

    @Test(arguments: [
        (#"{"username":["a","b"]}"#, ["username: a", "username: b"], []),
        (#"{"username":"a"}"#, ["username: a"], []),
        (#"{"username":["a","a"],"email":["a"]}"#, ["username: a", "email: a"], []),
        (#"{"profile":{"city":["a"],"zip":{"code":["b"]}}}"#, ["profile.city: a", "profile.zip.code: b"], []),
        (#"{"items":[{"name":["a"]},{},{"size":["b"]}]}"#, ["items.name: a", "items.size: b"], []),
        (#"["a","b","a"]"#, [], ["a", "b"]), (#"[{"email":["a"]}]"#, ["email: a"], []), (#""a""#, [], ["a"]),
        (#"{"detail":"a","code":"token_not_valid","messages":[{"token_type":"access"}]}"#, [], ["a"]),
        (#"{"code":["Invalid code."]}"#, ["code: Invalid code."], []),
        (#"{"profile":{"non_field_errors":["a"]}}"#, ["profile: a"], []),
        (#"{"nonFieldErrors":["a"]}"#, [], ["a"]), (#"{"validation_errors":["a"]}"#, [], ["a"]),
        (#"{"errors":["a"],"username":["b"]}"#, ["username: b"], ["a"]),
        (#"{"detail":"a","status_code":401}"#, [], ["a"]),
        (#"{"username":["a"],"status_code":400}"#, ["username: a"], []),
        (#"{"error":"a"}"#, [], ["a"]), (#"{"message":"a"}"#, [], ["a"]), (#"{"error":{"message":"a"}}"#, [], ["a"]),
        (
            #"{"success":false,"status_code":400,"message":"The request failed","errors":{"email":["a"],"detail":"b"}}"#,
            ["email: a"], ["b"]
        ),
        (#"{"message":"a","errors":{}}"#, [], ["a"]), (#"{"status":"error","message":"a"}"#, [], ["a"]),
        (#"{"message":"a","code":"x","errors":{"email":["b"]}}"#, ["email: b"], []),
        (#"{"username":[{"message":"a","code":"unique"}]}"#, ["username: a"], []),
        (#"{"errors":[{"field":"email","message":"a"},{"field":null,"message":"b"}]}"#, ["email: a"], ["b"]),
        (
            #"{"type":"validation_error","errors":[{"code":"invalid","detail":"a","attr":"non_field_errors"},"#
                + #"{"code":"invalid","detail":"b","attr":"profile.city"},{"code":"x","detail":"c","attr":null}]}"#,
            ["profile.city: b"], ["a", "c"]
        ),
        (#"{"anything":["E-mail is not verified."]}"#, [], ["E-mail is not verified."]),
        ("{}", [], []), ("[]", [], []), ("7", [], []), ("null", [], []), (#"{"username":null,"email":[]}"#, [], []),
    ])
    func `rest-auth error bodies in every format are parsed`(body: String, fields: [String], texts: [String]) throws {
        let faults = try faults(body)
        expect(faults.fields.map { "\($0.field): \($0.message)" }, fields)
        expect(faults.texts, texts)
    }

    @Test func `rest-auth field errors are in the order of a signup form and are marked as server text`() throws {
        let faults = try faults(
            #"{"zip":["z"],"password2":["c"],"password1":["p"],"age":["g"],"email":["e"],"username":["u"]}"#)
        let expected = [
            ("username", "u"), ("email", "e"), ("password", "p"), ("passwordConfirmation", "c"), ("zip", "z"),
            ("age", "g"),
        ]
        expect(faults.fields, expected.map { FieldFault($0.0, $0.1, isServerText: true) })
    }

    @Test(arguments: [
        (#"{"password":["a"]}"#, "password"), (#"{"password1":["a"]}"#, "password"),
        (#"{"new_password1":["a"]}"#, "password"), (#"{"new_password2":["a"]}"#, "password"),
        (#"{"password2":["a"]}"#, "passwordConfirmation"), (#"{"old_password":["a"]}"#, "currentPassword"),
        (#"{"new_password2":["The two password fields didn’t match."]}"#, "passwordConfirmation"),
        (#"{"non_field_errors":["The two password fields didn't match."]}"#, "passwordConfirmation"),
        (#"{"non_field_errors":["The password is too similar to the username."]}"#, "password"),
        (#"{"error":"This password is too common."}"#, "password"), (#"{"oldPassword":["a"]}"#, "currentPassword"),
        (#"{"error":"A user with that username already exists."}"#, "username"),
        (#"{"newPassword2":["a"]}"#, "password"),
        (#"{"uid":["a"]}"#, "uid"),
    ])
    func `rest-auth field errors use the same field names as other backends`(body: String, field: String) throws {
        try expect(faults(body).fields.map(\.field), [field])
    }

    /// More than 100 errors do not help users, and searching 20,000 errors for duplicates would take minutes.
    @Test func `at most 100 field errors of a rest-auth response are read`() throws {
        let members = (0..<20_000).map { #""f\#($0)":["x\#($0)"]"# }.joined(separator: ",")
        try expect(faults("{\(members)}").fields.count, 100)
    }

    @Test func `a long field name in a rest-auth error is cut to 200 characters`() {
        let faults = DjangoFaults([String(repeating: "x", count: 100_000): ["wrong"]], Masker())
        expect(faults.fields.map(\.field), [String(repeating: "x", count: 200)])
    }

    @Test func `a field name with a secret is masked before it is cut, except a standard name like username`() throws {
        let masker = Masker()
        for secret in ["username", "password1", String(repeating: "s3cret", count: 40)] { masker.register(secret) }
        let body: JSONValue = .object([
            "username": ["a"], "password1": ["b"], String(repeating: "s3cret", count: 40): ["c"],
        ])
        expect(DjangoFaults(body, masker).fields.map(\.field), ["username", "password", "<redacted>"])
    }

    @Test(arguments: [
        (#"{"username":["A user with that username already exists."]}"#, AuthError.Reason.usernameTaken),
        (#"{"username":["This field must be unique."],"email":["already used"]}"#, .usernameTaken),
        (#"{"email":["User is already registered with this e-mail address."]}"#, .emailTaken),
        (#"{"error":"A user with that username already exists."}"#, .usernameTaken),
        (#"{"error":"A user is already registered with this e-mail address."}"#, .emailTaken),
        (
            #"{"success":false,"message":"no","errors":{"username":["A user with that username already exists."]}}"#,
            .usernameTaken
        ),
        (
            #"{"errors":[{"code":"username_taken","detail":"A user with that username already exists.","attr":"username"}]}"#,
            .usernameTaken
        ),
        (#"{"username":["A user with that username already exists."],"password1":["too short"]}"#, .invalidFields),
        (#"{"password1":["This password is too common."]}"#, .weakPassword),
        (#"{"password1":["This field may not be blank."]}"#, .invalidFields),
        (#"{"captcha":["This field is required."]}"#, .invalidFields), ("{}", .invalidFields),
    ])
    func `rest-auth field errors determine a signup error's reason`(body: String, reason: AuthError.Reason) throws {
        let response = HTTPResponse(status: 400, body: Array(body.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        let error = try failure {
            _ = try RestAuthErrors.check(ServerResponse(response, to: request, .signUp, at: .sampleNow, Masker()))
        }
        expect(error.reason, reason)
    }
}
