import AuthModel
import JSON

extension Secret {
    /// A token in an answer, if it can be one: visible ASCII, which a header can carry, and at most 8 KiB.
    init?(token value: JSONValue?) {
        guard let token = value?.string, (1...8192).contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.init(token)
    }
}
