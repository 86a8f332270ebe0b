import CommandTestSupport
import Platform

@testable import AuthBackends

/// What the errors of each kind of server show about the user's rights, and that errors of a gateway show nothing.
@Suite struct RefusalTests {
    private enum Server { case parse, pocketbase, django, allauth, supabase, function, kii, other }

    private static let rows: [(Server, Int, String, Refusal?)] = [
        // Source: the exchanges with codes 101, 119 and 206.
        (.parse, 404, #"{"code":101,"error":"x"}"#, .denial), (.parse, 400, #"{"code":119,"error":"x"}"#, .denial),
        (.parse, 400, #"{"code":206,"error":"x"}"#, .denial), (.parse, 400, #"{"code":209,"error":"x"}"#, .other),
        (.parse, 403, #"{"error":"unauthorized: master key is required"}"#, .denial),
        (.parse, 403, #"{"error":"Permission denied"}"#, .denial), (.parse, 403, #"{"error":"no quota"}"#, .unclear),
        (.parse, 404, #"{"code":"101"}"#, .unclear), (.parse, 400, #"{"code":105,"error":"x"}"#, .other),
        (.parse, 200, #"[{"error":{"code":101,"error":"x"}},{"error":{"code":119}}]"#, .denial),
        (.parse, 200, #"[{"error":{"code":101,"error":"x"}},{"error":{"code":111}}]"#, .other),
        (.parse, 200, #"[{"error":{"code":101,"error":"x"}},{"success":{}}]"#, nil), (.parse, 200, "[]", nil),
        (.parse, 200, #"{"data":null,"errors":[{"message":"x","extensions":{"code":119}}]}"#, .denial),
        // Source: the exchanges `rules/…` and `denied/…`; the method is POST.
        (.pocketbase, 403, PocketBaseSample.error(403, "Only superusers can perform this action."), .denial),
        (.pocketbase, 404, PocketBaseSample.error(404, "The requested resource wasn't found."), .denial),
        (.pocketbase, 401, PocketBaseSample.unauthorized, .denial),
        (.pocketbase, 400, PocketBaseSample.error(400, "Failed to create record."), .denial),
        (
            .pocketbase, 400, PocketBaseSample.error(400, "Failed to create record.", "title", "validation_required"),
            .other
        ),
        (.pocketbase, 400, PocketBaseSample.error(400, "Something went wrong while processing your request."), .other),
        (.pocketbase, 404, #"{"data":{},"message":"x"}"#, .unclear),
        // Source: Django REST framework, "Exceptions"; drf-standardized-errors; handlers of sites.
        (.django, 403, #"{"detail":"You do not have permission to perform this action."}"#, .denial),
        (.django, 404, #"{"detail":"Not found.","status_code":404}"#, .denial),
        (.django, 403, #"{"type":"client_error","errors":[{"code":"x","detail":"No.","attr":null}]}"#, .denial),
        (.django, 403, #"{"success":false,"message":"Failed","errors":{"detail":"No."}}"#, .denial),
        (.django, 403, #"{"error":"You do not have permission"}"#, .denial), (.django, 405, #"{"detail":"x"}"#, .other),
        (.django, 401, #"{"detail":"Authentication credentials were not provided."}"#, .denial),
        (.django, 401, #"{"error":"Log in"}"#, .unclear), (.django, 404, #"{"message":"Nothing here"}"#, .unclear),
        (.django, 403, #"{"error":{"code":403,"message":"x"}}"#, .unclear),
        (.allauth, 403, #"{"detail":"No."}"#, .denial), (.allauth, 403, #"{"status":403}"#, .denial),
        (.allauth, 409, #"{"status":409}"#, .other), (.allauth, 404, #"{"message":"x"}"#, .unclear),
        (.django, 200, #"{"errors":[{"message":"You do not have permission"}],"data":{"notes":null}}"#, .denial),
        (.django, 200, #"{"errors":[{"message":"x","extensions":{"code":"FORBIDDEN"}}]}"#, .denial),
        (.django, 200, #"{"errors":[{"message":"x"}],"data":null}"#, .other),
        (.django, 200, #"{"errors":[{"message":"x"}],"data":{"a":1,"b":null}}"#, nil),
        (.django, 200, #"{"id":1,"errors":["x"]}"#, nil), (.django, 200, #"{"errors":[],"data":null}"#, nil),
        // Source: PostgREST, "Errors"; supabase/storage; the exchanges of Supabase Auth.
        (.supabase, 403, #"{"code":"42501","message":"x"}"#, .denial),
        (.supabase, 404, #"{"code":"PGRST205","message":"x"}"#, .other),
        (.supabase, 401, #"{"code":"PGRST301","message":"x"}"#, .unclear),
        (.supabase, 401, #"{"code":"PGRST302","message":"x"}"#, .denial),
        (.supabase, 401, #"{"code":"PGRST303","message":"JWT issued at future"}"#, .tokenTooEarly),
        (.supabase, 403, #"{"code":"not_admin","message":"x"}"#, .denial), (.supabase, 404, #"{"a":"b"}"#, .unclear),
        (.supabase, 400, #"{"statusCode":"404","error":"not_found","message":"Object not found"}"#, .denial),
        (.supabase, 400, #"{"statusCode":"403","error":"Unauthorized","message":"new row violates"}"#, .denial),
        (.supabase, 400, #"{"statusCode":"403","error":"Unauthorized","message":"jwt expired"}"#, .other),
        (.supabase, 400, #"{"statusCode":"400","error":"Error","message":"x"}"#, .other),
        (.supabase, 200, #"{"data":null,"errors":[{"message":"permission denied for table notes"}]}"#, .denial),
        (.function, 403, #"{"code":"mine","message":"no"}"#, .denial), (.function, 404, #"{"error":"no"}"#, .denial),
        (.function, 404, #"{"code":"NOT_FOUND","message":"Requested function was not found"}"#, .unclear),
        (.kii, 403, #"{"errorCode":"X","message":"x"}"#, .denial), (.kii, 409, #"{"errorCode":"X"}"#, .other),
        (.kii, 404, #"{"message":"x"}"#, .unclear), (.kii, 200, #"{"errorCode":"X","message":"x"}"#, .other),
        // An API with a format of its own.
        (.other, 403, #"{"message":"This action is unauthorized."}"#, .denial), (.other, 404, #"{"a":1}"#, .denial),
        (.other, 403, #"[{"error":{"code":403}}]"#, .denial), (.other, 400, #"{"code":119,"error":"x"}"#, .other),
    ]

    /// Source: Cloudflare; oauth2-proxy; Google IAP; Istio; ingress-nginx; Traefik; Amazon API Gateway; Kong.
    private static let gateways = [
        "", "{}", "[]", "null", "error code: 1020", "Invalid IAP credentials: empty token", "RBAC: access denied",
        "404 page not found", "<html>", #"{"message":"Missing Authentication Token"}"#, #"{"Message":"Forbidden"}"#,
        #"{"message":"no Route matched with those values"}"#,
    ]

    private static func refusal(
        _ server: Server, _ method: HTTPRequest.Method, _ status: Int, _ body: String, _ headers: HTTPHeaders = [:]
    ) -> Refusal? {
        let answer = ServerResponse(
            HTTPResponse(status: status, headers: headers, body: Array(body.utf8)),
            to: HTTPRequest(method, "https://a.example/x"), .callAPI, at: .sampleNow, Masker())
        let table: any ErrorTable.Type =
            switch server {
            case .parse, .other: ParseErrors.self
            case .pocketbase: PocketBaseErrors.self
            case .django: RestAuthErrors.self
            case .allauth: AllauthErrors.self
            case .supabase, .function: SupabaseErrors.self
            case .kii: KiiErrors.self
            }
        return table.judge(answer, isForeign: server == .other, isCustom: server == .function).refusal
    }

    @Test func `only an error in the form in which a server denies is a denial`() {
        for (server, status, body, expected) in Self.rows {
            let refusal = Self.refusal(server, .post, status, body)
            if refusal != expected { Issue.record("\(server) \(status) \(body): \(refusal as Any)") }
        }
    }

    @Test func `an error of a gateway shows nothing on any server`() {
        for server in [Server.parse, .pocketbase, .django, .allauth, .supabase, .function, .kii, .other] {
            for (body, status) in Self.gateways.flatMap({ body in [401, 403, 404].map { (body, $0) } })
            where Self.refusal(server, .get, status, body) != .gateway {
                Issue.record("\(server) \(status) \(body)")
            }
        }
        let denial = #"{"detail":"No."}"#
        expect(Self.refusal(.django, .get, 403, denial, ["cf-mitigated": "challenge"]), .gateway)
        expect(Self.refusal(.django, .head, 403, ""), .unclear)
    }
}
