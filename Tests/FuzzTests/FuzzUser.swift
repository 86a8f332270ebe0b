import AuthModel
import Platform

/// The user in the fuzz targets. The user's secrets are too long to occur in other strings by chance.
enum FuzzUser {
    static let login = "ada"
    static let password = "hunter2-correct-horse"
    static let newPassword = "battery-staple-hunter3"
    static let token = "r:5e55107e55107e55105e55107e551051"
    static let refreshToken = "4ef4e5a7042e4ef4e5a7042e4ef4e5a7"
    static let facebookToken = "EAAfaceb00c5faceb00c5faceb00c5"

    static let credentials = Credentials(login: login, password: Secret(password))
    static let account = NewAccount(username: login, email: "ada@example.org", password: Secret(password))
    static let session = Session(token: Secret(token), refreshToken: Secret(refreshToken))
    static let identity = IdentityCredential(.facebook, id: "1234567890", .accessToken(Secret(facebookToken)))

    static let secrets = [password, newPassword, token, refreshToken, facebookToken]

    /// A masker in which the user's secrets are registered, as in a command before its first request.
    static var masker: Masker {
        let masker = Masker()
        for secret in secrets { masker.register(secret) }
        return masker
    }
}

extension Instant {
    /// 2026-06-01T00:00:00Z.
    static let whenFuzzed = Instant(seconds: 1_780_272_000)
}
