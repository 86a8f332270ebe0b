import AuthModel
import JSON
import Platform
import Transport

/// Reads the responses from the Graph API.
enum GraphPayloads {
    /// Reads `code`, `user_code`, `verification_uri`, `expires_in`?, `interval`?.
    static func deviceCode(_ object: JSONObject, _ masker: Masker) -> DeviceCode? {
        // Scripts open `verification_uri` in a browser, so it must be an https URL.
        guard let code = Secret(token: object["code"], masker),
            let userCode = object["user_code"]?.identifier.map(masker.mask),
            let url = object["verification_uri"]?.filledText.map(masker.mask), url.hasPrefix("https://"),
            !url.utf8.contains(UInt8(ascii: "#"))
        else { return nil }
        let mark = url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return DeviceCode(
            secret: code, userCode: userCode, verificationURL: url,
            completeURL: "\(url)\(mark)user_code=\(userCode.percentEncoded)",
            lifetime: seconds(object["expires_in"]) ?? standardLifetime,
            interval: seconds(object["interval"]) ?? standardInterval)
    }

    /// Whether the URL is on facebook.com or a subdomain. Users must not enter the code on any other site.
    static func isOfFacebook(_ url: String) -> Bool {
        guard let parts = URLParts(url) else { return false }
        return parts.scheme == "https" && parts.userInfo == nil && [nil, 443].contains(parts.port)
            && (parts.host == "facebook.com" || parts.host.hasSuffix(".facebook.com"))
    }

    /// Reads `id`, and `name`, `first_name`, `last_name`, `email` if Facebook provides them.
    static func profile(_ object: JSONObject) -> IdentityProfile? {
        guard let id = object["id"]?.identifier, id.isVisibleASCII else { return nil }
        return IdentityProfile(
            id: id, name: object["name"]?.filledText, firstName: object["first_name"]?.filledText,
            lastName: object["last_name"]?.filledText, email: object["email"]?.filledText)
    }

    /// The values in the example response of Facebook's guide.
    private static let standardLifetime = Duration.seconds(420)
    private static let standardInterval = Duration.seconds(5)

    /// Reads a positive number of seconds, limited to one day.
    private static func seconds(_ value: JSONValue?) -> Duration? {
        value?.integer.flatMap { $0 > 0 ? .seconds(min($0, 86_400)) : nil }
    }
}
