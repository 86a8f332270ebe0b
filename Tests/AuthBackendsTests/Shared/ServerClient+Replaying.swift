import Platform
import Transport

@testable import AuthBackends

extension ServerClient {
    static func replaying(_ transport: any HTTPTransport, base: String, _ masker: Masker = Masker()) -> ServerClient {
        ServerClient(
            base, transport, HTTPStack(transport, masker: masker, clock: .fixed(.sampleNow), pause: { _ in }))
    }
}
