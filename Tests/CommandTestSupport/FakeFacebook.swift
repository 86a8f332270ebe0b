package import AuthModel
import Synchronization

/// A fake of Facebook with scripted responses. The test fails on a call that is not the next step, and on unused
/// steps.
package struct FakeFacebook: FacebookService {
    private let script: Script

    package init(_ steps: [Step] = [], journal: Journal = Journal()) {
        script = Script(steps, journal, of: "facebook")
    }

    package func beginDeviceLogin(_ app: FacebookApp, permissions: [String]) throws(BackendError) -> DeviceCode {
        let call = "begin \(app.id) \(app.clientToken.reveal()) \(permissions.joined(separator: ","))"
        return try script.reply(Step.begin, call).value
    }

    package func progress(of code: DeviceCode, _ app: FacebookApp) throws(BackendError) -> DeviceLoginProgress {
        try script.reply(Step.progress, "progress of \(code.secret.reveal()) \(app.id)").value
    }

    package func appID(of token: Secret) throws(BackendError) -> String {
        try script.reply(Step.appID, "app of \(token.reveal())").value
    }

    package func profile(of token: Secret) throws(BackendError) -> IdentityProfile {
        try script.reply(Step.profile, "profile of \(token.reveal())").value
    }

    package func revokePermissions(_ token: Secret) throws(BackendError) {
        _ = try script.reply(Step.revoke, "revoke by \(token.reveal())")
    }
}

extension Step {
    package static let begin = Call<DeviceCode>("begin")
    package static let progress = Call<DeviceLoginProgress>("progress")
    package static let appID = Call<String>("appID")
    package static let profile = Call<IdentityProfile>("profile")
    package static let revoke = Call<Void>("revoke")
}
