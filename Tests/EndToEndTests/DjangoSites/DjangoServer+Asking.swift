import TestSupport
import Testing

/// Requests to a Django server with curl, without authctl.
extension DjangoServer {
    typealias Answer = ServingProgram.Answer

    static var needed: Comment { "\(absence)" }

    /// - Parameter authorization: the complete value of the header field.
    func ask(
        _ method: String = "GET", _ path: String, _ body: String? = nil, authorization: String? = nil,
        options: [String] = []
    ) throws -> Answer {
        var words = ["-s", "-S", "--max-time", "20", "-X", method, "-w", "\n%{http_code}"] + options
        words += ["-H", "Accept: application/json"]
        if let authorization { words += ["-H", "Authorization: \(authorization)"] }
        if let body { words += ["-H", "Content-Type: application/json", "--data-binary", body] }
        let finished = try world.start(words + ["\(url)/\(path)"], program: ["/usr/bin/curl"]).wait()
        try #require(finished.exitCode == 0, "\(method) \(path): \(finished.stderr)\(log)")
        return Answer(finished)
    }

    func post(_ path: String, _ body: String, authorization: String? = nil, options: [String] = []) throws -> Answer {
        try ask("POST", path, body, authorization: authorization, options: options)
    }

    func signUp(_ name: String = "ann") throws -> Answer {
        let passwords = #""password1":"\#(Sandbox.password)","password2":"\#(Sandbox.password)""#
        return try post(
            "registration/", #"{"username":"\#(name)","email":"\#(name)@example.com",\#(passwords)}"#)
    }

    func logIn(
        _ name: String = "ann", password: String = Sandbox.password, authorization: String? = nil,
        options: [String] = []
    ) throws -> Answer {
        let member = name.contains("@") ? "email" : "username"
        return try post(
            "login/", #"{"\#(member)":"\#(name)","password":"\#(password)"}"#, authorization: authorization,
            options: options)
    }
}

extension ServingProgram.Answer {
    /// The errors about the whole request, not about a field.
    var complaint: String? { json?.strings("non_field_errors")?.joined(separator: " ") }
    var detail: String? { json?.string("detail") }
}
