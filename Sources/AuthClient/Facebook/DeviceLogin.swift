import AuthModel
import Platform

/// Facebook Login for Devices: polls Facebook until the user has entered the displayed code in a browser.
///
/// Source: documentation of Facebook Login, "Login for Devices"; RFC 8628, section 3.5.
struct DeviceLogin {
    let facebook: any FacebookService
    let app: FacebookApp
    let events: any Events
    let waiting: Waiting

    /// Polls at the requested interval until the code expires. Temporary errors do not stop the polling.
    ///
    /// - Returns: an access token of the user who entered the code.
    func token(for code: DeviceCode) throws(AuthError) -> Secret {
        let end = waiting.now() + code.lifetime
        // With an interval longer than the lifetime, the code would expire before the first poll.
        var interval = min(code.interval, code.lifetime)
        var trouble: AuthError?
        repeat {
            waiting.pause(interval)
            switch progress(of: code) {
            case .success(.pending): trouble = nil
            case .success(.slowDown):
                trouble = nil
                interval = slower(interval)
            case .success(.done(let token)): return token
            case .success(.declined): throw AuthError(.cancelled, "the login was declined on Facebook")
            case .success(.expired): throw expired(nil)
            case .failure(let error) where error.isTemporary:
                if trouble == nil { events.note("\(error.message); trying again") }
                if error.reason == .rateLimited { interval = slower(interval) }
                trouble = error
            case .failure(let error): throw error
            }
        } while waiting.now() + interval <= end
        throw expired(trouble)
    }

    /// Doubles the interval, but to at most 30 seconds, so that a completed login is still detected soon.
    private func slower(_ interval: Duration) -> Duration { max(interval, min(interval * 2, .seconds(30))) }

    private func progress(of code: DeviceCode) -> Result<DeviceLoginProgress, AuthError> {
        do throws(BackendError) {
            return .success(try facebook.progress(of: code, app))
        } catch {
            return .failure(error.shown)
        }
    }

    /// - Parameter trouble: the error of the last poll; `nil` if that poll succeeded.
    private func expired(_ trouble: AuthError?) -> AuthError {
        if let trouble { return trouble.explaining("the code has expired") }
        return AuthError(
            .timeout, "the code was not entered on Facebook in time", next: "run the command again for a new code")
    }
}

extension AuthError {
    /// Whether a retry of the poll may succeed. A retry is safe, because polling is idempotent.
    fileprivate var isTemporary: Bool {
        switch reason {
        case .dns, .connect, .proxy, .timeout, .invalidResponse, .serverFault, .rateLimited: !isAfterSuccess
        default: false
        }
    }
}
