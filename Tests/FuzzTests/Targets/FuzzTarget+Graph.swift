import AuthBackends
import AuthModel
import Transport

extension FuzzTarget {
    /// The client of Facebook's Graph API. Input: the number of a call, then responses.
    static let graph = FuzzTarget(
        name: "graph",
        seeds: {
            [
                (
                    0, 200,
                    #"{"code":"0d4","user_code":"A1NWZ9","verification_uri":"https://facebook.com/device","#
                        + #""expires_in":420,"interval":5}"#
                ),
                (0, 400, #"{"error":{"message":"Invalid","type":"OAuthException","code":190,"fbtrace_id":"A"}}"#),
                (1, 200, #"{"access_token":"EAAB","data_access_expiration_time":1,"expires_in":"5183"}"#),
                (1, 400, #"{"error":{"code":31,"error_subcode":1349174,"error_user_title":"a","error_user_msg":"b"}}"#),
                (2, 200, #"{"id":"1234567890"}"#),
                (3, 200, #"{"id":"1","name":"Ada","first_name":"Ada","last_name":"L","email":"ada@example.org"}"#),
                (4, 200, "true"), (4, 200, #"{"success":true}"#),
            ].map { [UInt8($0.0)] + ScriptedResponses.bytes($0.1, $0.2) }
        },
        check: { bytes in
            let rest = bytes.dropFirst()
            let answers = ScriptedResponses(rest)
            let graph = FacebookGraph(
                url: "https://graph.example", version: "v1.0", transport: answers, masker: FuzzUser.masker)
            do {
                try check(graph, call: Int(bytes.first ?? 0) % 5)
            } catch let error as BackendError {
                try Invariants.check(error, answers.secretsSent)
            }
        })

    private static func check(_ graph: FacebookGraph, call: Int) throws {
        let app = FacebookApp(id: "1234567890", clientToken: Secret(FuzzUser.password))
        let token = Secret(FuzzUser.token)
        switch call {
        case 0: try check(try graph.beginDeviceLogin(app, permissions: []))
        case 1:
            if case .done(let token) = try graph.progress(of: .sample, app) { try Invariants.check(token) }
        case 2: try FuzzFault.unless(try !graph.appID(of: token).isEmpty, "an app without an id")
        case 3: try check(try graph.profile(of: token))
        default: try graph.revokePermissions(token)
        }
    }

    private static func check(_ code: DeviceCode) throws {
        try Invariants.check(code.secret)
        for url in [code.verificationURL, code.completeURL] {
            // Scripts pass the URL to a browser, so the URL must be https and visible ASCII.
            let isPlain = url.hasPrefix("https://") && url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            try FuzzFault.unless(isPlain, "no page of the web: \(url.debugDescription)")
        }
        let day = Duration.seconds(1)...Duration.seconds(86_400)
        try FuzzFault.unless(day.contains(code.lifetime) && day.contains(code.interval), "\(code.lifetime)")
        try FuzzFault.unless(!code.userCode.isEmpty, "no code to enter")
    }

    private static func check(_ profile: IdentityProfile) throws {
        let isPlain = !profile.id.isEmpty && profile.id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        try FuzzFault.unless(isPlain, "no id: \(profile.id.debugDescription)")
    }
}

extension DeviceCode {
    fileprivate static let sample = DeviceCode(
        secret: Secret(FuzzUser.newPassword), userCode: "A1", verificationURL: "https://a.example",
        completeURL: "https://a.example", lifetime: .seconds(420), interval: .seconds(5))
}
