/// The prompts of the program, each as it is shown at a terminal.
package enum Prompt {
    package static let username = "User name: "
    package static let optionalUsername = "User name (Enter for none): "
    package static let usernameOrEmail = "User name or e-mail: "
    package static let email = "E-mail: "
    package static let password = "Password: "
    package static let confirmation = "The same again: "
    package static let code = "One-time code: "
}
