/// A backend whose server may give every device of a user the same session.
package protocol SessionSharing: Backend {
    /// Whether the end of this session is the end of the user's sessions on all devices.
    func isShared(_ session: Session) -> Bool
}
