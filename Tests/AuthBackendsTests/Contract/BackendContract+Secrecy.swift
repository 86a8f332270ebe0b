import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

/// Servers echo request data in texts, codes, field names, HTML pages and debug pages.
extension BackendContract {
    @Test(arguments: cases)
    func `no error repeats a secret of the operation in any encoding`(test: ContractCase) throws {
        let script = ContractTransport(test)
        _ = try test.run(script)
        for (index, step) in test.steps.enumerated() {
            let secrets = script.secretsSent(
                in: step.role == .optional ? Array(script.received[...index]) : [script.received[index]])
            let encodings = secrets.flatMap(Self.encodings)
            for response in Self.responses(repeating: encodings.joined(separator: " "), test.backend) {
                let shown = Self.allTexts(of: test, failing: index, response).lowercased()
                for secret in secrets where response.status != 200 || !ContractSample.applicationKeys.contains(secret) {
                    for text in Self.encodings(secret) where shown.contains(text.lowercased()) {
                        Issue.record("\(step.request), status \(response.status): \(text) in \(shown.prefix(2000))")
                        return
                    }
                }
            }
        }
    }

    @Test(arguments: cases)
    func `no result repeats a secret that the server added to it`(test: ContractCase) throws {
        let transport = ContractTransport(test)
        var shown = ""
        dump(try test.run(transport), to: &shown)
        let secrets = transport.secretsSent(in: transport.received) + ContractSample.tokens
        for secret in secrets where !ContractSample.applicationKeys.contains(secret) {
            #expect(!shown.contains(secret), "\(secret)")
        }
    }

    @Test(arguments: cases)
    func `no transport error repeats a secret of the operation`(test: ContractCase) throws {
        let script = ContractTransport(test)
        _ = try test.run(script)
        let secrets = script.secretsSent(in: [script.received[0]])
        let text = secrets.flatMap(Self.encodings).joined(separator: " ")
        let fault = TransportError(.redirect, "sends on to \(text)", hint: "use \(text)", wasSent: true)
        let error = try failure { _ = try test.run(ContractTransport(test, failing: 0, [.failure(fault)])) }
        for secret in secrets { #expect(!error.allTexts.contains(secret), "\(secret)") }
    }

    @Test(arguments: cases(.logIn, .secondFactor))
    func `a login shows the name that the user typed, although the password is the same word`(
        test: ContractCase
    ) throws {
        let steps = try #require(test.backend.steps(test.operation, "AdaLovelace"))
        let named = ContractCase(backend: test.backend, operation: test.operation, steps: steps)
        let result = try named.run(ContractTransport(named), login: "adalovelace", password: "adalovelace")
        #expect(result.user?.username == "AdaLovelace")
    }

    // MARK: - Responses

    /// Every text of the error or the result of an operation.
    private static func allTexts(of test: ContractCase, failing step: Int, _ response: HTTPResponse) -> String {
        var shown = ""
        do {
            dump(try test.run(ContractTransport(test, failing: step, [.success(response)])), to: &shown)
        } catch let error as AuthError {
            shown = error.allTexts
        } catch {
            shown = "\(error)"
        }
        return shown
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

    /// The encodings in which a server may echo a secret.
    private static func encodings(_ secret: String) -> [String] {
        // The encodings of a JWT would make the bodies very long.
        if secret.utf8.count > 40 { return [secret] }
        let bytes = Array(secret.utf8)
        func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return [
            secret, secret.uppercased(), bytes.map { "%" + hexadecimal($0) }.joined(),
            bytes.map(hexadecimal).joined(), bytes.base64Encoded, bytes.map { "&#\($0);" }.joined(),
            bytes.map { "\\u00" + hexadecimal($0) }.joined(),
        ]
    }
}
