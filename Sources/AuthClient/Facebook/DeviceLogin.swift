import AuthModel
import Platform

/// Facebook Login for Devices: a code is shown, somebody enters it in a browser, and Facebook is asked until then.
///
/// Source: documentation of Facebook Login, "Login for Devices"; RFC 8628, section 3.5.
struct DeviceLogin {
    let facebook: any FacebookService
    let app: FacebookApp
    let events: any Events
    let waiting: Waiting

    /// Asks no faster than told, until the code has run out; what keeps Facebook from answering may pass.
    ///
    /// - Returns: an access token of whoever entered the code.
    func token(for code: DeviceCode) throws(AuthError) -> Secret {
        let end = waiting.now() + code.lifetime
        // One that is longer than the code lives would let nobody in.
        var interval = min(code.interval, code.lifetime)
        var trouble: AuthError?
        repeat {
            waiting.pause(interval)
            switch progress(of: code) {
            case .success(.pending): trouble = nil
            case .success(.askedTooSoon):
                trouble = nil
                interval = slower(interval)
            case .success(.done(let token)): return token
            case .success(.declined): throw AuthError(.cancelled, "the login was declined on Facebook")
            case .success(.runOut): throw runOut(nil)
            case .failure(let error) where error.mayPass:
                if trouble == nil { events.note("\(error.message); trying again") }
                if error.reason == .rateLimited { interval = slower(interval) }
                trouble = error
            case .failure(let error): throw error
            }
        } while waiting.now() + interval <= end
        throw runOut(trouble)
    }

    /// Twice as long, but not so long that an answer would be noticed minutes late.
    private func slower(_ interval: Duration) -> Duration { max(interval, min(interval * 2, .seconds(30))) }

    private func progress(of code: DeviceCode) -> Result<DeviceLoginProgress, AuthError> {
        do throws(AuthError) {
            return .success(try facebook.progress(of: code, app))
        } catch {
            return .failure(error)
        }
    }

    /// - Parameter trouble: what kept Facebook from answering the last time.
    private func runOut(_ trouble: AuthError?) -> AuthError {
        if let trouble { return trouble.explaining("the code has expired") }
        return AuthError(
            .timeout, "the code was not entered on Facebook in time", next: "run the command again for a new code")
    }
}

extension AuthError {
    /// Whether another try may be answered, of a question that changes nothing.
    fileprivate var mayPass: Bool {
        switch reason {
        case .dns, .connect, .proxy, .timeout, .brokenAnswer, .serverFault, .rateLimited: !isAfterSuccess
        default: false
        }
    }
}

/// How time passes while the user does something elsewhere.
package struct Waiting: Sendable {
    /// Time since a fixed point in the past.
    package let now: @Sendable () -> Duration
    package let pause: @Sendable (Duration) -> Void

    package init(
        now: @escaping @Sendable () -> Duration = { monotonicNow() },
        pause: @escaping @Sendable (Duration) -> Void = { Platform.pause($0) }
    ) {
        self.now = now
        self.pause = pause
    }
}
