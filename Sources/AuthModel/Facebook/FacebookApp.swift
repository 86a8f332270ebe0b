/// A Facebook app, as somebody without its secret can speak for it.
package struct FacebookApp: Sendable, Equatable {
    package let id: String
    package let clientToken: Secret

    package init(id: String, clientToken: Secret) {
        self.id = id
        self.clientToken = clientToken
    }
}
