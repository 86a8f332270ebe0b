/// What a server needs, besides the key from the e-mail, to verify an address.
package enum VerificationNeed: Sendable {
    /// Nothing: the key shows its account.
    case nothing
    /// The address that a code was sent to. The verification starts a session.
    case address
    /// The unfinished signup or login that waits for the key, which completes it, or a session.
    case requester
}

/// What proves, besides the key from the e-mail, that a verification is the user's.
package struct VerificationProof: Sendable, Equatable {
    /// The e-mail or phone number that a code was sent to; not needed for a link.
    package var address: String?
    /// The password, which the change of an e-mail may need.
    package var password: Secret?
    package var requester = Requester.anonymous

    package init(address: String? = nil, password: Secret? = nil, as requester: Requester = .anonymous) {
        self.address = address
        self.password = password
        self.requester = requester
    }
}

/// The token that a verification request contains, if any.
package enum Requester: Sendable, Equatable {
    case anonymous
    case session(Session)
    /// The token of an unfinished signup or login.
    case pending(Secret)
}

/// The result of a verification.
package enum Verification: Sendable, Equatable {
    case done
    /// The verification started a session.
    case session(NewSession)
    /// Another address must be confirmed, too, before the e-mail changes.
    case otherAddressMissing
    /// The e-mail was changed, and the server has revoked all sessions of the account. The session is that of a new login;
    /// `nil` if it failed.
    case changedEmail(NewSession?)
}
