import CommandTestSupport
import Foundation

@testable import AuthBackends

/// Servers may echo request data in error messages, error codes, field names, HTML pages and debug pages.
extension BackendContract {
    @Test(arguments: cases)
    func `an error never repeats a secret of the request, even percent-encoded or JSON-escaped`(
        test: ContractCase
    ) throws {
        let script = ContractTransport(test)
        _ = try test.run(script)
        let secrets = script.secretsSent(in: script.received)
        let text = secrets.flatMap(Self.encodings).joined(separator: " ")
        for (index, step) in test.steps.enumerated() {
            // At this step, the backend cannot mask tokens that only later responses issue.
            let known = script.secretsSent(in: Array(script.received.prefix(index + 1)))
            for response in Self.responses(repeating: text, test.backend) {
                guard let shown = Self.error(of: test, failing: index, response)?.allTexts else { continue }
                // The search compares bytes, because comparing characters would take most of the test's time.
                let bytes = Data(shown.utf8)
                for echo in known.flatMap(Self.encodings) where bytes.range(of: Data(echo.utf8)) != nil {
                    Issue.record("\(step.request), status \(response.status): \(echo) in \(shown.prefix(2000))")
                    return
                }
            }
        }
    }

    // MARK: - Responses

    private static func error(of test: ContractCase, failing step: Int, _ response: HTTPResponse) -> AuthError? {
        do {
            _ = try test.run(ContractTransport(test, failing: step, [.success(response)]))
            return nil
        } catch {
            return (error as? BackendError)?.shown
        }
    }

    private static func responses(repeating text: String, _ backend: ContractBackend) -> [HTTPResponse] {
        [200, 400, 403, 500].flatMap { status in
            let bodies = backend.errorsRepeating(status, .string(text)).map(\.bytes)
            let json = (bodies + [JSONValue.object([text: ["wrong"]]).bytes]).map {
                HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: $0)
            }
            let pages = ["<html><title>\(text)</title><p>\(text)</p></html>", "RuntimeError at /login\nPOST: \(text)"]
            return json + pages.map { HTTPResponse(status: status, body: Array($0.utf8)) }
        }
    }

    private static func encodings(_ secret: String) -> [String] {
        // A JWT is not encoded, because its encodings would make the bodies very long.
        if secret.utf8.count > 40 { return [secret] }
        func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return [
            secret, secret.utf8.map { "%" + hexadecimal($0) }.joined(),
            secret.utf8.map { "\\u00" + hexadecimal($0) }.joined(),
        ]
    }
}
