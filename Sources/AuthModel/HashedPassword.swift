import Platform

/// A password hash in a form that servers exchange.
package struct HashedPassword: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case bcrypt, argon2id, argon2i, fbscrypt
        case pbkdf2 = "pbkdf2_sha256"
    }

    /// `#` is a cost, `&` Base64 without padding, at least 8 bytes, `@` Base64 with padding, `*` any text. `fbscrypt` is
    /// Firebase's scrypt as Supabase writes it, and `pbkdf2_sha256` a form of Django.
    private static let forms: [(Kind, String)] = [
        (.bcrypt, "$2a$#$*"), (.bcrypt, "$2b$#$*"), (.bcrypt, "$2y$#$*"),
        (.argon2id, "$argon2id$v=19$m=#,t=#,p=#$&$&"), (.argon2i, "$argon2i$v=19$m=#,t=#,p=#$&$&"),
        (.fbscrypt, "$fbscrypt$v=1,n=#,r=#,p=1,ss=@,sk=@$@$@"), (.pbkdf2, "pbkdf2_sha256$#$*$@"),
    ]

    package let kind: Kind
    /// The hash without the prefix of Django's `argon2$argon2id$…` and `bcrypt$$2b$…`.
    package let text: Secret
    /// The texts in the places of `#`, `&`, `@` and `*`.
    package let parts: [Secret]
    package let costs: [Int]

    /// `nil` for a text of another form.
    package init?(_ secret: Secret) {
        var text = secret.reveal()
        if text.hasPrefix("argon2$argon2") { text.removeFirst("argon2".utf8.count) }
        if text.hasPrefix("bcrypt$$2") { text.removeFirst("bcrypt$".utf8.count) }
        for (kind, form) in Self.forms {
            guard let parts = Self.parts(of: text, form), kind != .bcrypt || text.utf8.count == 60 else { continue }
            (self.kind, self.text, self.parts) = (kind, Secret(text), parts.map { Secret($0.text) })
            costs = parts.compactMap { $0.place == "#" ? Int($0.text) : nil }
            return
        }
        return nil
    }

    private static func parts(of text: String, _ form: String) -> [(place: Character, text: String)]? {
        let isSeparator = { (character: Character) in character == "$" || character == "," }
        guard text.filter(isSeparator) == form.filter(isSeparator) else { return nil }
        var parts: [(Character, String)] = []
        let split = { (text: String) in text.split(omittingEmptySubsequences: false, whereSeparator: isSeparator) }
        for (part, form) in zip(split(text), split(form)) {
            guard let place = form.last, "#&@*".contains(place) else {
                if part == form { continue } else { return nil }
            }
            let value = String(part.dropFirst(form.utf8.count - 1))
            let bytes = [UInt8](base64: value) ?? []
            let isValid =
                switch place {
                case "#": value.isASCIIDigits && Int(value) ?? 0 > 0
                case "&": bytes.count >= 8 && value == String(bytes.base64Encoded.prefix { $0 != "=" })
                case "@": !bytes.isEmpty && value == bytes.base64Encoded
                default: !value.isEmpty
                }
            guard part.hasPrefix(form.dropLast()), isValid else { return nil }
            parts.append((place, value))
        }
        return parts
    }
}

/// A kind of password hash that a server accepts.
package struct HashLimit: Sendable, Equatable {
    let kind: HashedPassword.Kind
    /// The most of each of `HashedPassword.costs`; empty for no limit.
    let costs: [Int]

    package init(_ kind: HashedPassword.Kind, _ costs: Int...) { (self.kind, self.costs) = (kind, costs) }
}

extension AccountKeeping {
    /// Why no new account can have this hash in place of a password: a predicate, without the hash; `nil` if one can.
    package func fault(ofHash secret: Secret) -> String? {
        guard let hash = HashedPassword(secret) else { return "is not a password hash of a known form" }
        let name = hash.kind.rawValue
        guard let limit = hashes.first(where: { $0.kind == hash.kind }) else {
            let kinds = hashes.map(\.kind.rawValue).list(atMost: 5)
            return "is a hash of \(name), and the server accepts \(kinds.isEmpty ? "none" : kinds)"
        }
        let excess = zip(hash.costs, limit.costs).first { $0 > $1 }
        return excess.map { "is a hash of \(name) with a cost of \($0), and the server accepts at most \($1)" }
    }
}
