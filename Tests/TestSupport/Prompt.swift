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
