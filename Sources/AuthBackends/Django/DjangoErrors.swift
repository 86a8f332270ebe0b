import AuthModel
import JSON
import Platform
import Transport

extension ErrorFormat {
    /// `{"detail": "text"}`, optionally with `code` and `messages`, or fields with lists of messages.
    static let restFramework = ErrorFormat("Django REST framework") { object, _ in
        if object["detail"]?.string != nil {
            return object.names.allSatisfy { ["detail", "code", "messages"].contains($0) }
        }
        return !object.isEmpty
            && object.members.allSatisfy { member in
                member.value.array.map { !$0.isEmpty && $0.allSatisfy { $0.string != nil } } ?? false
            }
    }
}

/// What the phrases of Django and Django REST framework mean.
extension ErrorResponse {
    /// Whether Django REST framework reports missing or invalid credentials. A site whose first authentication class is
    /// cookie-based sends 403 instead of 401. Source: Django REST framework, "Authentication"; simplejwt.
    var meansInvalidCredentials: Bool {
        ["Authentication credentials were not provided", "Invalid token", "Given token not valid"].contains(
            where: hasText) || meansExpired
    }

    /// Whether a site reports that the token has expired, as in `Token has expired`, `The token is expired` and
    /// `Signature has expired.` No status or code tells. simplejwt 5.3 and older report `Token is invalid or expired`
    /// for every invalid token. Source: simplejwt, `JWTAuthentication`; public recipes for keys that expire.
    var meansExpired: Bool {
        let details = (body?["messages"]?.array ?? []).prefix(10).compactMap { $0["message"]?.string }
        return (texts + details).contains { text in
            let text = text.lowercased()
            return ["token", "signature"].contains(where: text.holds) && text.holds("expired") && !text.holds("invalid")
        }
    }

    /// Whether Django's protection against forged requests rejects this one. Its page has the word in every language;
    /// REST framework's message begins with it.
    var meansForgery: Bool {
        status == 403 && (hasText("CSRF Failed") || isPage && String(decoding: bytes, as: UTF8.self).holds("CSRF"))
    }

    /// The host in the request, if it is not in Django's `ALLOWED_HOSTS`.
    var refusedHost: String? {
        guard status == 400, ["<h1>Bad Request (400)</h1>", "DisallowedHost"].contains(where: plainText.holds) else {
            return nil
        }
        return URLParts(url)?.host
    }

    /// Whether Django REST framework refuses a GET: `Method "GET" not allowed.` in any language. Sites may have their own
    /// format of errors.
    var refusesGET: Bool {
        let faults = DjangoFaults(body, masker)
        return ErrorFormat.restFramework.isOf(self)
            || (faults.texts + faults.fields.map(\.message)).contains { $0.holds("\"GET\"") }
    }

    /// A view denies in one of the forms that `DjangoFaults` reads. A site that does not tell whether an object exists
    /// denies with status 404.
    var refusalOfDjango: Refusal? {
        guard [401, 403, 404].contains(status), !texts.isEmpty,
            [nil, ErrorFormat.restFramework.sender].contains(ErrorFormat.of(self)?.sender),
            body?.object?.names.contains(where: Self.formNames.contains) == true
        else { return nil }
        return .denial
    }

    /// Members that contain the messages of an error. `{"message": …}` alone is a gateway's.
    private static let formNames: Set = ["detail", "error", "errors", "non_field_errors", "nonFieldErrors"]
}

extension HTTPResponse {
    /// Whether this is Django's error page for a request with a body and a missing slash. Django sends the page if
    /// `DEBUG` and `APPEND_SLASH` are on, because it cannot redirect such a request. Source:
    /// `CommonMiddleware.get_full_path_with_slash`, Django 4.2 and 5.2.
    var isMissingSlash: Bool {
        status == 500
            && String(decoding: body, as: UTF8.self).holds("end in a slash and you have APPEND_SLASH set.")
    }
}

extension NextStep {
    /// allauth limits wrong passwords and codes separately from requests, and reports this limit with status 400.
    static let waitAfterWrongPasswords: NextStep = "for some minutes, the server rejects even the correct password"

    static let setScheme = NextStep(
        "if the site expects another word before the token, set it",
        run: ["profile", "set", profile, BackendSetting.tokenScheme.key, "WORD"])
}
