package import AuthModel
import Synchronization

/// A fake of Facebook with scripted responses. The test fails on a call that is not the next step, and on unused
/// steps.
package final class FakeFacebook: FacebookService {
    package enum Step: Sendable {
        case begin(Result<DeviceCode, AuthError>)
        case progress(Result<DeviceLoginProgress, AuthError>)
        case appID(Result<String, AuthError>)
        case profile(Result<IdentityProfile, AuthError>)
        case revoke(Result<Void, AuthError>)
    }

    private let journal: Journal
    private let script: Mutex<[Step]>

    package init(_ script: [Step] = [], journal: Journal = Journal()) {
        self.script = Mutex(script)
        self.journal = journal
    }

    package func beginDeviceLogin(_ app: FacebookApp, permissions: [String]) throws(AuthError) -> DeviceCode {
        let call = "begin \(app.id) \(app.clientToken.reveal()) \(permissions.joined(separator: ","))"
        guard case .begin(let result) = next(call) else { throw .unscripted }
        return try result.get()
    }

    package func progress(of code: DeviceCode, _ app: FacebookApp) throws(AuthError) -> DeviceLoginProgress {
        guard case .progress(let result) = next("progress of \(code.secret.reveal()) \(app.id)") else {
            throw .unscripted
        }
        return try result.get()
    }

    package func appID(of token: Secret) throws(AuthError) -> String {
        guard case .appID(let result) = next("app of \(token.reveal())") else { throw .unscripted }
        return try result.get()
    }

    package func profile(of token: Secret) throws(AuthError) -> IdentityProfile {
        guard case .profile(let result) = next("profile of \(token.reveal())") else { throw .unscripted }
        return try result.get()
    }

    package func revokePermissions(_ token: Secret) throws(AuthError) {
        guard case .revoke(let result) = next("revoke by \(token.reveal())") else { throw .unscripted }
        try result.get()
    }

    private func next(_ call: String) -> Step? {
        journal.add("facebook: \(call)")
        return script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    deinit {
        for step in script.withLock({ $0 }) { complain("unused step of Facebook: \(step)") }
    }
}
