import Foundation

extension Sandbox {
    /// Signs up with `Sandbox.password`. The program saves the new session.
    @discardableResult
    package func signUp(_ name: String, _ more: String...) throws -> Finished {
        try start(["signup", name, "--password-stdin"] + more, input: .password).wait()
    }

    @discardableResult
    package func logIn(_ name: String, _ more: String...) throws -> Finished {
        try start(["login", name, "--password-stdin"] + more, input: .password).wait()
    }

    /// The session token of a profile.
    package func token(_ profile: String = "default") throws -> String {
        try run("token", "-p", profile).stdout.trimmingCharacters(in: .newlines)
    }

    /// The ids of the account's sessions, the current one first.
    package func sessionIDs(_ profile: String = "default") throws -> [String] {
        let items = try run("sessions", "-p", profile, "--json").document().objects("items")
        return items.sorted { $0.flag("current")! && !$1.flag("current")! }.compactMap { $0.string("id") }
    }
}

/// The prompts of the program as a terminal shows them.
package enum Prompt {
    package static let username = "Username: "
    package static let usernameOrEmail = "Username or e-mail: "
    package static let email = "E-mail: "
    package static let optionalEmail = "E-mail (optional): "
    package static let password = "Password: "
    package static let confirmation = "Confirm password: "
    package static let code = "One-time code: "
}
