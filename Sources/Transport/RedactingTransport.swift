import JSON
import Platform

/// Masks the secrets of a request in its response, so that no caller can show or save one that a server repeats.
///
/// `<redacted>` replaces secrets in the strings and member names of a JSON body, in any other body, in the header
/// `Location`, and in the message and hint of an error. The tokens in the response (`HTTPRequest.tokenMembers`) are
/// secrets, too: only their own members stay readable.
///
/// Masking must not destroy the meaning of a response, even if the password is a common word:
/// - A secret that is a plain word stays in member names and in codes (`user_not_found`), unless it is the whole code.
/// - A secret of digits stays in times, texts and numbers of a successful JSON body, unless it is a whole string.
/// - Application keys stay in successful JSON bodies and in `Location`.
///
/// A body that the strict parser accepts is passed on as `HTTPResponse.json`, so that it is parsed once.
package struct RedactingTransport: HTTPTransport {
    private let inner: any HTTPTransport

    package init(_ inner: any HTTPTransport) {
        self.inner = inner
    }

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        do throws(TransportError) {
            let response = try inner.send(request)
            return request.reception == .masked ? redacted(response, of: request) : unchanged(response, of: request)
        } catch {
            let redactor = SecretRedactor(request)
            throw TransportError(
                error.kind, redactor.redact(error.message), hints: error.hints.map(redactor.redact),
                wasSent: error.wasSent, isFinal: error.isFinal)
        }
    }

    /// The body stays as it is. Errors are made from the JSON of a failure, which is masked.
    private func unchanged(_ response: HTTPResponse, of request: HTTPRequest) -> HTTPResponse {
        guard !(200..<300).contains(response.status) else { return response }
        var masked = redacted(response, of: request)
        masked.body = response.body
        return masked
    }

    private func redacted(_ response: HTTPResponse, of request: HTTPRequest) -> HTTPResponse {
        var response = response
        // `try?`: a body that is not JSON is masked as text.
        response.json = try? JSONValue(parsing: response.body)
        let tokens = request.tokenMembers.compactMap { response.json?.member(at: $0)?.string }
            .filter { $0.utf8.count <= String.longestToken }
        let secrets = request.secrets + tokens
        if response.headers["Location"] != nil { redactLocation(in: &response.headers, SecretRedactor(secrets)) }
        let isGood = (200..<400).contains(response.status) && response.json != nil
        var redaction = Redaction(
            isGood ? secrets : secrets + request.applicationKeys, publicValues: request.publicValues, response)
        if redaction.hasNoSecrets { return response }
        if let json = response.json {
            guard let masked = redaction.redacted(json, tokens: request.tokenMembers) else { return response }
            response.json = masked
            response.body = masked.bytes
        } else {
            response.body = redaction.redacted(response.body) ?? response.body
        }
        return response
    }

    private func redactLocation(in headers: inout HTTPHeaders, _ redactor: SecretRedactor) {
        headers = HTTPHeaders(
            headers.fields.map { field in
                guard field.name.lowercased() == "location" else { return field }
                return HTTPHeaders.Field(name: field.name, value: redactor.redact(field.value))
            })
    }
}

/// Masks one body. All its texts share one step limit.
private struct Redaction {
    private let redactor: SecretRedactor
    private let redactorOfCodes: SecretRedactor
    private let redactorOfNames: SecretRedactor
    /// The secrets, in lower case, that one of these redactors omits. A string that equals one is still masked.
    private let wholeStrings: Set<String>
    /// Secrets that could also be a JSON number.
    private let numbers: Set<String>
    /// In lower case: servers change the case of names and addresses.
    private let publicValues: Set<String>
    private var steps: Int

    init(_ texts: [String], publicValues: [String], _ response: HTTPResponse) {
        let isSuccess = (200..<300).contains(response.status) && response.json != nil
        let secrets = isSuccess ? texts.filter { !$0.trimmed.isASCIIDigits } : texts
        let redactor = SecretRedactor(secrets)
        self.redactor = redactor
        func leavingOut(_ isLeftOut: (String) -> Bool) -> SecretRedactor {
            let others = secrets.filter { !isLeftOut($0.trimmed) }
            return others.count < secrets.count ? SecretRedactor(others) : redactor
        }
        redactorOfCodes = leavingOut { $0.isWord }
        redactorOfNames = leavingOut { $0.isNumberedWord }
        let trimmed = texts.map(\.trimmed).filter { $0.utf8.count >= SecretRedactor.shortest }
        wholeStrings = Set(trimmed.filter { $0.isWord || $0.isASCIIDigits }.map { $0.lowercased() })
        numbers = isSuccess ? [] : Set(trimmed.filter { $0.isASCIIDigits })
        self.publicValues = Set(publicValues.map { $0.lowercased() })
        steps = SecretRedactor.stepLimit(ofBytes: response.body.count)
    }

    var hasNoSecrets: Bool { redactor.isEmpty && wholeStrings.isEmpty }

    /// - Returns: `nil` if no secret was found.
    mutating func redacted(_ body: [UInt8]) -> [UInt8]? { redactor.redacted(body, &steps) }

    /// - Parameter tokens: paths of the token members, relative to this value.
    /// - Returns: `nil` if no secret was found.
    mutating func redacted(_ value: JSONValue, tokens: [String]) -> JSONValue? {
        switch value {
        case .string(let text): return redacted(text).map(JSONValue.string)
        case .integer(let number): return numbers.contains(String(number)) ? .string(SecretRedactor.mask) : nil
        case .array(let elements): return redacted(elements)
        case .object(let object): return redacted(object, tokens)
        case .null, .bool, .number: return nil
        }
    }

    private mutating func redacted(_ text: String) -> String? {
        let isWhole = !wholeStrings.isEmpty && wholeStrings.contains(text.trimmed.lowercased())
        let masked =
            isWhole ? SecretRedactor.mask : (text.isCode ? redactorOfCodes : redactor).redacted(text, &steps)
        return masked == nil || publicValues.contains(text.lowercased()) ? nil : masked
    }

    private mutating func redacted(_ elements: [JSONValue]) -> JSONValue? {
        var (masked, hasChanged) = (elements, false)
        for index in elements.indices {
            guard let element = redacted(elements[index], tokens: []) else { continue }
            masked[index] = element
            hasChanged = true
        }
        return hasChanged ? .array(masked) : nil
    }

    private mutating func redacted(_ object: JSONObject, _ tokens: [String]) -> JSONValue? {
        var (members, hasChanged) = (object.members, false)
        for index in members.indices {
            let name = members[index].name
            if tokens.contains(name), members[index].value.string != nil { continue }
            let below = tokens.compactMap { $0.hasPrefix("\(name).") ? String($0.dropFirst(name.count + 1)) : nil }
            let (newName, value) = (
                redactorOfNames.redacted(name, &steps), redacted(members[index].value, tokens: below)
            )
            guard newName != nil || value != nil else { continue }
            members[index] = JSONObject.Member(name: newName ?? name, value: value ?? members[index].value)
            hasChanged = true
        }
        guard hasChanged else { return nil }
        // Member names that differed only in a secret are equal now, and JSON objects must not repeat a name.
        var names: Set<String> = []
        return .object(JSONObject(members.filter { names.insert($0.name).inserted }))
    }
}

extension JSONValue {
    /// - Parameter path: `meta.session_token`.
    fileprivate func member(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self as JSONValue?) { $0?[String($1)] }
    }
}

extension String {
    /// Whether the text consists of ASCII letters only.
    fileprivate var isWord: Bool { utf8.allSatisfy { $0.isASCIILetter } }

    /// Whether the text is a word, optionally followed by digits: `user`, `password1`.
    fileprivate var isNumberedWord: Bool {
        utf8.first?.isASCIILetter ?? false && utf8.drop { $0.isASCIILetter }.allSatisfy { $0.isASCIIDigit }
    }

    /// Whether the text has the form of an error code, words joined by `_`: `username_password_mismatch`.
    fileprivate var isCode: Bool {
        let underscore = UInt8(ascii: "_")
        return utf8.contains(underscore) && utf8.allSatisfy { $0.isASCIILetter || $0 == underscore }
    }
}
