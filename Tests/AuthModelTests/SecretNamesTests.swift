import AuthModel
import Expectations
import JSON

@Suite struct SecretNamesTests {
    @Test(arguments: [
        "password", "PASSWORD", "Password", "passwd", "secret", "token", "accessToken", "access_token", "ACCESS-TOKEN",
        "access.token", "userIDToken", "tokenCount", "oauth2Token", "2FASecret", "has_usable_password",
        "_hashed_password",
        "api_key", "apiKey", "APIKey", "myAPIKey", "x-api-key", "private.key", "privateKey", "accessKey", "AccessKey",
        "recoveryCode", "recovery_codes", "mfaRecoveryCodes",
    ])
    func `a user field whose name looks like a secret is dropped at any depth`(name: String) {
        let user = User(username: "ada", fields: ["age": 36, name: "x"])
        expect(user.fields, ["age": 36])
        expect((["age": 36, "a": ["b": [[name: "x"]]]] as JSONObject).secretNames, ["a.b.\(name)"])
        var other = User(username: "ada")
        other.fields = ["a": ["b": [[name: "x"], 1]]]
        expect(other.fields, ["a": ["b": [[:], 1]]])
        other.fields[name] = "x"
        expect(other.fields.names, ["a"])
    }

    @Test func `a secret member is dropped from a text that is JSON, and another text is kept as it is`() {
        let texts = [
            #"{"role":"editor"}"#, #"{"role":"editor","apiToken":"t0p"}"#, #" [{"a":"{\"token\":1}"}]"#, "{token",
            "[1]x",
        ]
        let user = User(fields: ["a": JSONValue(texts)])
        let kept = [texts[0], #"{"role":"editor"}"#, #"[{"a":"{}"}]"#, texts[3], texts[4]]
        expect(user.fields, ["a": JSONValue(kept)])
        expect((["a": .string(texts[1])] as JSONObject).secretNames, ["a.apiToken"])
    }

    @Test(arguments: [
        "tokenize", "passwords", "secretary", "Tokenizer", "key", "keys", "apiKeys", "api_key_id", "publicKey",
        "keyAPI",
        "codeRecovery", "recovery", "access", "apikey", "nickname", "", "_", "pass_word", "private_note",
    ])
    func `a user field whose name does not look like a secret is kept`(name: String) {
        var user = User(username: "ada")
        user.fields[name] = "x"
        #expect(user.fields.names == [name] && user.fields.secretNames.isEmpty)
    }
}
