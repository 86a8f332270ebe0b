package import JSON

/// The e-mails that a server for tests lists in one response, oldest first.
package struct MailListing: Sendable {
    package let url: String
    /// The member of the response that has the list.
    package let member: String
    /// Reads an e-mail of the list; `nil` if it is invalid.
    package let mail: @Sendable (JSONValue) -> ListedMail?
}

package struct ListedMail: Sendable {
    package let recipient: String
    package let subject: String
    /// Only visible ASCII, as the code.
    package let link: String?
    package var code: String?
    package let purpose: MailPurpose?
}
