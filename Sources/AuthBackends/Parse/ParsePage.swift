import AuthModel
import Platform
import Transport

/// What a response to a verification link says about the address. authctl opens no page that the server redirects to.
enum ParsePage {
    case verified, invalidLink
    /// A page of the site's own, or no page at all although the server has checked the link.
    case unclear
    /// An error that has nothing to do with the link.
    case fault

    /// - Parameter confirmsKeys: whether the server is `authctl serve` or the embedded server, which reject an invalid
    ///   link with status 400.
    init(_ response: HTTPResponse, confirmsKeys: Bool) {
        let page = String(decoding: response.body, as: UTF8.self)
        switch response.status {
        case 200 where confirmsKeys: self = .verified
        case 400: self = .invalidLink
        case 200: self = Self.headings.first { page.lowercased().holds($0.heading) }?.result ?? .unclear
        case 301, 302, 303, 307, 308:
            let name = Self.name(of: response.headers["Location"] ?? "")
            // A redirect to another form of the link itself, such as https: the server has not checked the link.
            self = name == "verify_email" ? .fault : Self.names[name] ?? .unclear
        // Parse Server sends this text if it lacks a page.
        case 404: self = page == "Not found." ? .unclear : .fault
        default: self = .fault
        }
    }

    /// The headings of the default pages, which have status 200 even if the link is invalid. Source: Parse Server,
    /// `public/*.html` and `public_html/*.html`; the exchange `strict.verify-link` in `Tests/Exchanges`.
    private static let headings: [(heading: String, result: ParsePage)] = [
        ("email verified!", .verified), ("verified your email", .verified), ("e-mail address verified", .verified),
        ("invalid verification link", .invalidLink), ("expired verification link", .invalidLink),
        ("invalid link", .invalidLink),
    ]

    /// The file names of the default pages. Source: Parse Server, `Config.js` and `PagesRouter.js`; the exchanges
    /// `mail.verify.*`.
    private static let names: [String: ParsePage] = [
        "verify_email_success": .verified, "email_verification_success": .verified,
        "invalid_link": .invalidLink, "invalid_verification_link": .invalidLink,
        "expired_verification_link": .invalidLink, "email_verification_link_invalid": .invalidLink,
        "email_verification_link_expired": .invalidLink,
    ]

    private static func name(of location: String) -> String {
        let name = location.prefix { !"?#".contains($0) }.split(separator: "/").last ?? ""
        return String(name.hasSuffix(".html") ? name.dropLast(5) : name)
    }
}
