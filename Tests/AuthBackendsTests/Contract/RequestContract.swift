import CommandTestSupport
import Platform
import Synchronization

@testable import AuthBackends

/// Requests from `authctl api`: their header fields, and the meaning of each response, for every backend.
@Suite struct RequestContract {
    static let api = "https://api.example/v1"

    // MARK: - The request

    private static let sessionFields: [String: [String]] = [
        "Parse": [
            "X-Parse-Application-Id: app", "X-Parse-REST-API-Key: app-k3y-1", "X-Parse-Session-Token: r:t0ken-1",
        ],
        "local accounts": [
            "X-Parse-Application-Id: app", "X-Parse-REST-API-Key: app-k3y-1", "X-Parse-Session-Token: r:t0ken-1",
        ],
        "rest-auth with keys": ["Authorization: Token 0a1b-key-1"],
        "rest-auth with JWTs": ["Authorization: Bearer \(RestAuthSample.access)"],
        "allauth": ["X-Session-Token: s3ssion-1"],
        "allauth with JWTs": ["Authorization: Bearer \(AllauthSample.access)"],
        "Kii Cloud": ["Authorization: Bearer k11-token-1"],
        "PocketBase": ["Authorization: pb-t0ken-1"],
        "Supabase": ["apikey: app-k3y-1", "Authorization: Bearer \(RestAuthSample.access)"],
    ]

    @Test(arguments: ContractBackend.withAPI)
    func `an api request is sent unchanged, with Accept and the header fields of the session added`(
        contract: ContractBackend
    ) throws {
        let fields = try #require(Self.sessionFields[contract.name])
        let backend = try Self.backend(contract, RecordingTransport())
        var request = HTTPRequest(
            .patch, "\(try backend.requestBase())\(contract.requestPath)?a=b%20c", body: [0, 0xFF])
        for value in ["b", "c"] { request.headers.add("X-A", value) }
        (request.stallLimit, request.reception) = (.seconds(9), .whole(limit: 77))
        let sent = try Self.sent(request, by: contract)
        expect(sent.method, .patch)
        expect(sent.url, "\(contract.base)/orders/?a=b%20c")
        expect(sent.headers.fields.map(\.line), ["X-A: b", "X-A: c", "Accept: */*"] + fields)
        expect(sent.body, [0, 0xFF])
        expect(sent.stallLimit, .seconds(9))
        expect(sent.reception, .whole(limit: 77))
        let session = backend.headers(of: contract.session)
        expect(session.all.fields.map(\.line), fields)
        expect(
            session.scheme,
            fields.last.flatMap {
                $0.hasPrefix("Authorization: ") && !$0.hasSuffix(": pb-t0ken-1") ? $0.split(separator: " ")[1] : nil
            }.map(
                String.init))
    }

    @Test(arguments: ContractBackend.withAPI)
    func `an api request without a session has only Accept and the application's header fields`(
        contract: ContractBackend
    ) throws {
        let transport = RecordingTransport()
        let backend = try Self.backend(contract, transport)
        _ = try backend.send(HTTPRequest(.get, "\(try backend.requestBase())/orders/"), below: nil, with: nil)
        let names = try #require(transport.received.first).headers.fields.map(\.name)
        let application = Self.sessionFields[contract.name]?.dropLast().map { String($0.prefix { $0 != ":" }) }
        expect(names, ["Accept"] + (application ?? []))
    }

    @Test(arguments: ContractBackend.withAPI)
    func `an api request to a different base URL has the session's header field but no application fields`(
        contract: ContractBackend
    ) throws {
        let sent = try Self.sent(HTTPRequest(.get, "\(Self.api)/orders/"), by: contract, below: Self.api)
        expect(sent.url, "\(Self.api)/orders/")
        let field = try #require(Self.sessionFields[contract.name]?.last)
        expect(sent.headers.fields.map(\.line), ["Accept: */*", field])
        #expect(!sent.wireText.contains("k11-refresh") && !sent.wireText.contains(ContractSample.applicationKey))
    }

    @Test func `a user's Accept field replaces the default, but a user's Authorization field is ignored`()
        throws
    {
        let request = HTTPRequest(
            .get, "https://a.example/x", headers: ["accept": "text/csv", "AUTHORIZATION": "x"])
        let sent = try Self.sent(request, by: .restAuthKey)
        expect(sent.headers.values("Accept"), ["text/csv"])
        expect(sent.headers.values("Authorization"), ["Token 0a1b-key-1"])
    }

    // MARK: - Responses

    /// Bodies without an entry in any error table.
    private static let unknownBodies = ["", "<html><title>No</title></html>", #"{"message":"no"}"#, "[]", "null"]

    @Test(
        arguments: [
            (401, .tokenRefused, 4), (403, .forbidden, 5), (404, .notFound, 7), (409, .conflict, 6),
            (410, .notFound, 7),
            (400, .invalidFields, 7), (402, .invalidFields, 7), (405, .invalidFields, 7), (406, .invalidFields, 7),
            (412, .invalidFields, 7), (413, .invalidFields, 7), (415, .invalidFields, 7), (422, .invalidFields, 7),
            (451, .invalidFields, 7), (429, .rateLimited, 9), (500, .serverFault, 9), (501, .serverFault, 9),
            (502, .serverFault, 9), (503, .serverFault, 9), (504, .serverFault, 9), (599, .serverFault, 9),
            (300, .invalidResponse, 8),
        ] as [(Int, AuthError.Reason, Int32)])
    func `an api error with an unknown body gets its reason from the HTTP status`(
        status: Int, reason: AuthError.Reason, exitCode: Int32
    ) throws {
        for contract in ContractBackend.withAPI {
            for body in Self.unknownBodies {
                for base in [nil, Self.api] {
                    let response = try Self.response(status, body, from: contract, base: base)
                    expect(response.error?.reason, reason, "\(contract.name) \(body)")
                    expect(response.error?.outcome.exitCode, exitCode, "\(contract.name) \(body)")
                    expect(response.error?.server?.status, status)
                    expect(response.response.body, Array(body.utf8))
                }
            }
        }
    }

    @Test(arguments: [200, 201, 202, 204, 206, 299, 304])
    func `a 2xx or 304 api response has no error, whatever the body`(status: Int) throws {
        for contract in ContractBackend.withAPI {
            for body in Self.unknownBodies + [#"{"code":209,"error":"x"}"#, #"{"errorCode":"WRONG_TOKEN"}"#] {
                try expect(Self.response(status, body, from: contract).error, nil, "\(contract.name) \(body)")
            }
        }
    }

    private static let errors: [(ContractBackend, Int, String)] = [
        (.parse, 400, #"{"code":209,"error":"Invalid session token"}"#),
        (.parse, 400, #"{"code":209,"error":"Session token is expired."}"#),
        (.parse, 400, #"{"code":202,"error":"x"}"#),
        (.parse, 400, #"{"code":203,"error":"x"}"#),
        (.parse, 404, #"{"code":101,"error":"Object not found."}"#),
        (.parse, 400, #"{"code":119,"error":"x"}"#),
        (.parse, 400, #"{"code":141,"error":"x"}"#),
        (.parse, 400, #"{"code":142,"error":"x"}"#),
        (.parse, 403, #"{"error":"unauthorized"}"#),
        (.parse, 403, #"{"error":"not yours"}"#),
        (.parse, 400, #"{"code":155,"error":"x"}"#),
        (.parse, 500, #"{"code":1,"message":"x"}"#),
        (.local, 400, #"{"code":209,"error":"Invalid session token"}"#),
        (.restAuthKey, 401, #"{"detail":"Invalid token."}"#),
        (.restAuthKey, 401, #"{"detail":"User inactive or deleted."}"#),
        (.restAuthKey, 403, #"{"detail":"Authentication credentials were not provided."}"#),
        (.restAuthKey, 403, #"{"detail":"Invalid token."}"#),
        (.restAuthKey, 403, #"{"detail":"You do not have permission to perform this action."}"#),
        (.restAuthKey, 404, #"{"detail":"No Order matches the given query."}"#),
        (.restAuthKey, 400, #"{"size":["This field is required."]}"#),
        (.restAuthJWT, 401, #"{"detail":"Given token not valid","code":"token_not_valid"}"#),
        (.restAuthJWT, 403, #"{"detail":"Given token not valid for any token type"}"#),
        (.restAuthJWT, 401, #"{"detail":"User not found","code":"user_not_found"}"#),
        (.allauth, 410, AllauthSample.dead),
        (.allauth, 401, AllauthSample.notLoggedIn),
        (.allauth, 403, #"{"detail":"Authentication credentials were not provided."}"#),
        (.allauth, 401, #"{"detail":"Authentication credentials were not provided."}"#),
        (.allauth, 400, #"{"size":["This field is required."]}"#),
        (.kii, 403, KiiSample.error("WRONG_TOKEN")),
        (.kii, 404, KiiSample.error("OBJECT_NOT_FOUND")),
        (.kii, 403, KiiSample.error("SCOPE_FORBIDDEN")),
        (.kii, 409, KiiSample.error("OBJECT_VERSION_IS_STALE")),
        (.pocketbase, 400, PocketBaseSample.error(400, "Failed to create record.")),
        (.pocketbase, 400, PocketBaseSample.error(400, "Something went wrong while processing your request.")),
        (.pocketbase, 400, PocketBaseSample.error(400, "Failed to create record.", "title", "validation_not_unique")),
        (.pocketbase, 400, PocketBaseSample.error(400, "Failed to create record.", "title", "validation_required")),
        (.pocketbase, 401, PocketBaseSample.unauthorized),
        (.pocketbase, 403, PocketBaseSample.error(403, "Only superusers can perform this action.")),
        (.pocketbase, 404, PocketBaseSample.error(404, "The requested resource wasn't found.")),
    ]

    @Test func `an api error with a known body gets its reason from the backend's error table`() throws {
        let lines = try Self.errors.map { contract, status, body in
            let error = try #require(try Self.response(status, body, from: contract).error).shown
            return "\(contract.name), \(status), \(body): exit \(error.outcome.exitCode), \(error.snapshot())"
        }
        MessageFile("backends/requests").expect(lines.joined(separator: "\n"))
    }

    @Test(arguments: ContractBackend.withAPI)
    func `the error for a POST redirected to the same URL with a trailing slash suggests adding the slash`(
        contract: ContractBackend
    ) throws {
        let slash = TransportError(.missingSlash, "redirects", hint: "add a slash", wasSent: true)
        let backend = try Self.backend(contract, RecordingTransport(.failure(slash)))
        let error = try failure {
            _ = try backend.send(HTTPRequest(.post, "https://a.example/x"), below: nil, with: contract.session)
        }
        expect(error, AuthError(.redirect, "redirects", next: "add a slash"))
    }

    // MARK: - New sessions

    private static func replacement(
        _ method: String, _ path: String, _ body: String, from contract: ContractBackend, base: String? = nil
    ) throws -> Session? {
        let transport = RecordingTransport(.success(HTTPResponse(status: 200, body: Array(body.utf8))))
        let backend = try backend(contract, transport)
        let request = HTTPRequest(
            HTTPRequest.Method(rawValue: method), try (base ?? backend.requestBase()) + path)
        return try backend.send(request, below: base, with: contract.session).replacement
    }

    /// Parse Server revokes all sessions when a user's password changes, and returns a new session.
    @Test(arguments: ["/users/u1", "/classes/_User/u1"])
    func `the new session after a Parse password change replaces the session of the api request`(path: String) throws {
        let body = #"{"updatedAt":"x","sessionToken":"r:new-t0ken"}"#
        try expect(Self.replacement("PUT", path, body, from: .parse)?.token, Secret("r:new-t0ken"))
        for (method, path, base) in [
            ("GET", path, nil), ("POST", path, nil), ("PUT", "/classes/Note/1", nil), ("PUT", path, Self.api),
        ] {
            try expect(Self.replacement(method, path, body, from: .parse, base: base), nil, "\(method) \(path)")
        }
        try expect(Self.replacement("PUT", path, "{}", from: .parse), nil)
        try expect(Self.replacement("PUT", path, "<html>", from: .parse), nil)
    }

    @Test func `the new session in an allauth response replaces the session of the api request`() throws {
        let body =
            #"{"status":200,"data":{"user":{"id":7}},"meta":{"is_authenticated":true,"session_token":"s3ssion-2"}}"#
        let path = "/_allauth/app/v1/account/password/change"
        let session = try #require(try Self.replacement("POST", path, body, from: .allauth))
        expect(session.token, Secret("s3ssion-2"))
        try expect(Self.replacement("POST", "/orders/", body, from: .allauth), nil)
        try expect(Self.replacement("POST", path, body, from: .allauth, base: Self.api), nil)
    }

    // MARK: - Support

    static func backend(_ contract: ContractBackend, _ transport: any HTTPTransport) throws -> any Backend {
        contract.make(transport, Masker())
    }

    private static func sent(
        _ request: HTTPRequest, by contract: ContractBackend, below base: String? = nil
    ) throws -> HTTPRequest {
        let transport = RecordingTransport()
        _ = try backend(contract, transport).send(request, below: base, with: contract.session)
        return try #require(transport.received.first)
    }

    private static func response(
        _ status: Int, _ body: String, from contract: ContractBackend, base: String? = nil
    ) throws -> RequestAnswer {
        let response = HTTPResponse(
            status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        let backend = try backend(contract, RecordingTransport(.success(response)))
        let request = HTTPRequest(.post, try (base ?? backend.requestBase()) + contract.requestPath)
        return try backend.send(request, below: base, with: contract.session).value
    }
}

/// Returns the same response to every request, and records the requests.
final class RecordingTransport: HTTPTransport {
    private let answer: Result<HTTPResponse, TransportError>
    private let requests = Mutex<[HTTPRequest]>([])

    init(_ answer: Result<HTTPResponse, TransportError> = .success(HTTPResponse(status: 200))) {
        self.answer = answer
    }

    var received: [HTTPRequest] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        return try answer.get()
    }
}
