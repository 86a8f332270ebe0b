import AuthModel

extension FieldFault {
    /// How to speak of a field in a sentence.
    static func spoken(_ field: String) -> String {
        switch field {
        case "username": "the user name"
        case "email": "the e-mail"
        case "password": "the password"
        default: "field '\(field)'"
        }
    }
}
