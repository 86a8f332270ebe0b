import Platform
import Transport

@testable import AuthBackends

extension ServerClient {
    static func replaying(
        _ transport: any HTTPTransport, base: String, _ masker: Masker = Masker()
    ) -> ServerClient {
        ServerClient(
            base: base, transport: transport, network: { _ in transport }, clock: .fixed(.sampleNow), masker: masker)
    }
}
