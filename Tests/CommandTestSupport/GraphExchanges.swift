import AuthModel

/// Exchanges with Facebook's Graph API.
extension Exchange {
    package static let graphVersion = BackendSetting.facebookGraphVersion.standard ?? ""

    /// A request with a user's token.
    package static func graph(
        _ method: String, _ path: String, token: String = "EAAB", _ status: Int, _ answer: String
    ) -> Exchange {
        let lines = [
            "\(method) https://graph.facebook.com/\(graphVersion)/\(path)", "Accept: application/json",
            "Authorization: Bearer \(token)",
        ]
        return Exchange(lines.joined(separator: "\n"), status, answer)
    }

    /// A POST request with a form.
    package static func graphForm(
        _ path: String, _ form: String, at base: String = "https://graph.facebook.com", _ status: Int, _ answer: String
    ) -> Exchange {
        let lines = [
            "POST \(base)/\(graphVersion)/\(path)", "Accept: application/json",
            "Content-Type: application/x-www-form-urlencoded", "", form,
        ]
        return Exchange(lines.joined(separator: "\n"), status, answer)
    }

    package static func facebookApp(_ id: String = "1000") -> Exchange {
        graph("GET", "app?fields=id", 200, #"{"id":"\#(id)"}"#)
    }

    package static func facebookUser(
        _ answer: String = #"{"id":"1003","name":"Ada L","first_name":"Ada","email":"ada@example.org"}"#
    ) -> Exchange {
        graph("GET", "me?fields=id,name,first_name,last_name,email", 200, answer)
    }

    package static func facebookCode(scope: String = "public_profile%2Cemail") -> Exchange {
        graphForm(
            "device/login", "access_token=1000%7Cabc&scope=\(scope)", 200,
            #"{"code":"long-code","user_code":"AB12-CD34","verification_uri":"https://www.facebook.com/device","#
                + #""expires_in":420,"interval":5}"#)
    }

    package static func facebookLogIn(_ status: Int, _ answer: String) -> Exchange {
        graphForm("device/login_status", "access_token=1000%7Cabc&code=long-code", status, answer)
    }

    package static let facebookPending = facebookLogIn(
        400, #"{"error":{"message":"pending","code":31,"error_subcode":1349174}}"#)
    package static let facebookDone = facebookLogIn(200, #"{"access_token":"EAAB","expires_in":5183999}"#)
}
