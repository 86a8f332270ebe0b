import JSON
import Platform

/// Masks the secrets of a request in its response, so that no caller can show or save one that a server repeats.
///
/// Masked with `<redacted>` are the strings and member names of a JSON body, any other body as text, the values of
/// headers, and the message and hint of an error. The tokens in the response itself (`HTTPRequest.tokenMembers`) are
/// secrets, too: their members alone pass through, any repetition is masked.
///
/// A body that the strict reader accepts as JSON is handed on as `HTTPResponse.json`, so that it is parsed once.
package struct RedactingTransport: HTTPTransport {
    private let inner: any HTTPTransport

    package init(_ inner: any HTTPTransport) {
        self.inner = inner
    }

    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        do throws(TransportError) {
            return redacted(try inner.send(request), of: request)
        } catch {
            let redactor = SecretRedactor(request.secrets)
            throw TransportError(
                error.kind, redactor.redact(error.message), hint: error.hint.map(redactor.redact),
                wasSent: error.wasSent, isFinal: error.isFinal)
        }
    }

    private func redacted(_ response: HTTPResponse, of request: HTTPRequest) -> HTTPResponse {
        var response = response
        // `try?`: a body that is not JSON is text.
        response.json = try? JSONValue(parsing: response.body)
        let tokens = request.tokenMembers.compactMap { response.json?.member(at: $0)?.string }
            .filter { $0.utf8.count <= Self.longestToken }
        var redaction = Redaction(request.secrets + tokens, publicValues: request.publicValues, response)
        if redaction.hasNoSecrets { return response }
        redaction.redact(&response.headers)
        if let json = response.json {
            guard let masked = redaction.redacted(json, tokens: request.tokenMembers) else { return response }
            response.json = masked
            response.body = masked.bytes
        } else {
            response.body = redaction.redacted(response.body) ?? response.body
        }
        return response
    }

    /// Bytes. No backend accepts a longer token, and looking for one is expensive.
    private static let longestToken = 8192
}

/// The masking of one response. All its texts share one limit of steps.
private struct Redaction {
    private let redactor: SecretRedactor
    /// The same without secrets that are plain words. A password such as `user` must not hide the member names and
    /// codes of the protocol.
    private let redactorOfNames: SecretRedactor
    /// Secrets that could also be a JSON number.
    private let numbers: [String]
    private let publicValues: [String]
    private var steps: Int

    init(_ secrets: [String], publicValues: [String], _ response: HTTPResponse) {
        redactor = SecretRedactor(secrets)
        redactorOfNames = secrets.contains(where: \.isWord) ? SecretRedactor(secrets.filter { !$0.isWord }) : redactor
        numbers = secrets.filter { secret in secret.utf8.count >= 4 && secret.isASCIIDigits }
        self.publicValues = publicValues
        steps = SecretRedactor.stepLimit(ofBytes: response.body.count)
    }

    var hasNoSecrets: Bool { redactor.isEmpty }

    mutating func redact(_ headers: inout HTTPHeaders) {
        let values = headers.fields.map { redactor.redacted($0.value, &steps) }
        guard values.contains(where: { $0 != nil }) else { return }
        headers = HTTPHeaders(
            zip(headers.fields, values).map { HTTPHeaders.Field(name: $0.name, value: $1 ?? $0.value) })
    }

    /// `nil`: nothing was found.
    mutating func redacted(_ body: [UInt8]) -> [UInt8]? { redactor.redacted(body, &steps) }

    /// `nil`: nothing was found.
    ///
    /// - Parameter tokens: paths of the members that pass through, seen from this value.
    mutating func redacted(_ value: JSONValue, tokens: [String]) -> JSONValue? {
        switch value {
        case .string(let text):
            if publicValues.contains(text) { return nil }
            return (text.isCode ? redactorOfNames : redactor).redacted(text, &steps).map(JSONValue.string)
        case .integer(let number): return numbers.contains(String(number)) ? .string(SecretRedactor.mask) : nil
        case .array(let elements): return redacted(elements)
        case .object(let object): return redacted(object, tokens)
        case .null, .bool, .number: return nil
        }
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
        // Names that differed only in a secret are the same now; no document repeats one.
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
    /// Whether it consists of ASCII letters and `_` only.
    fileprivate var isWord: Bool { utf8.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "_") } }

    /// Whether it is written like the code of an error: `username_password_mismatch`.
    fileprivate var isCode: Bool { utf8.contains(UInt8(ascii: "_")) && isWord }
}
