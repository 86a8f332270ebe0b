import AuthModel
import JSON

/// A kind of account server, recognized by the format of its errors.
enum ServerKind: String {
    case parse = "a Parse server"
    case restFramework = "Django REST framework"
    case allauth = "allauth's headless API"
    case kii = "Kii Cloud"
    case pocketbase = "PocketBase"
    case supabase = "Supabase Auth"
    case google = "a service of Google"

    /// Detects the kind of server that sent a 4xx response; `nil` if the format is unknown or used by several kinds,
    /// and for status 408, 413 and 429.
    ///
    /// Source: `answers.ndjson` of each kind in `Tests/Exchanges`.
    init?(_ response: ErrorResponse) {
        guard (400..<500).contains(response.status), ![408, 413, 429].contains(response.status),
            let object = response.body?.object
        else { return nil }
        if let code = object["errorCode"]?.string, object["message"]?.string != nil, Self.codesOfKii.contains(code) {
            self = .kii
        } else if object["status"]?.integer == Int64(response.status),
            object["errors"]?.array != nil || object["meta"]?["is_authenticated"] != nil
        {
            self = .allauth
        } else if object["data"]?.object != nil, object["message"]?.string != nil,
            (object["status"] ?? object["code"])?.integer == Int64(response.status)
        {
            self = .pocketbase
        } else if object["code"]?.integer == Int64(response.status), object["error_code"]?.string != nil,
            object["msg"]?.string != nil
        {
            self = .supabase
        } else if object["error"]?["code"]?.integer == Int64(response.status),
            object["error"]?["message"]?.string != nil
        {
            self = .google
        } else if let code = object["code"]?.integer, object["error"]?.string != nil, object.members.count == 2,
            code != Int64(response.status), code < 300
        {
            self = .parse
        } else if response.status == 403, object.names == ["error"],
            object["error"]?.string == "unauthorized"
        {
            self = .parse
        } else if Self.isOfRESTFramework(object) {
            self = .restFramework
        } else {
            return nil
        }
    }

    /// Error codes that identify Kii Cloud. Other sites may send errors in the same format, but with other codes.
    private static let codesOfKii: Set = [
        "UNAUTHORIZED", "WRONG_TOKEN", "APP_NOT_FOUND", "APP_DISABLED", "OPERATION_NOT_SUPPORTED",
    ]

    /// Whether the object is `{"detail": "text"}`, optionally with `code` and `messages`, or maps fields to lists of
    /// messages.
    private static func isOfRESTFramework(_ object: JSONObject) -> Bool {
        if object["detail"]?.string != nil {
            return object.names.allSatisfy { ["detail", "code", "messages"].contains($0) }
        }
        return !object.isEmpty
            && object.members.allSatisfy { member in
                member.value.array.map { !$0.isEmpty && $0.allSatisfy { $0.string != nil } } ?? false
            }
    }
}
