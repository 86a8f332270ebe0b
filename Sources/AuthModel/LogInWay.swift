/// What somebody showed to get a session.
package enum LogInWay: String, Sendable {
    case password, facebook, anonymous
}
