/// What somebody showed to get a session.
package enum AuthMethod: String, Sendable {
    case password, facebook, anonymous
}
