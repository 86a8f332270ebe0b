import AuthModel
import Platform

/// A secret as it was handed over: checked, and otherwise left as it is.
struct SecretInput {
    /// Bytes; longer ones are refused, not cut.
    static let limit = 64 << 10

    /// What it is, for messages: "password".
    let what: String
    /// Where it came from, for messages: "standard input".
    let source: String

    /// One final line end (LF or CRLF) is dropped, nothing else.
    func secret(from bytes: [UInt8]) throws(AuthError) -> Secret {
        guard bytes.count <= Self.limit + 2 else { throw fault("is longer than \(Self.limit) bytes") }
        var content = bytes[...]
        if content.last == UInt8(ascii: "\n") {
            content.removeLast()
            if content.last == UInt8(ascii: "\r") { content.removeLast() }
        }
        guard !content.isEmpty else { throw fault("is empty") }
        guard content.count <= Self.limit else { throw fault("is longer than \(Self.limit) bytes") }
        guard !content.contains(0) else { throw fault("holds a NUL character") }
        guard let text = String(validating: content, as: UTF8.self) else { throw fault("is not UTF-8") }
        return Secret(text)
    }

    /// A token goes into a header, so it may hold nothing that ends one.
    func token(from bytes: [UInt8]) throws(AuthError) -> Secret {
        let token = try secret(from: bytes)
        guard token.reveal().utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw fault("holds characters that no token has")
        }
        return token
    }

    private func fault(_ text: String) -> AuthError {
        AuthError(.usage, "the \(what) from \(source) \(text)")
    }
}
