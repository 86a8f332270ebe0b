import AuthModel
import Expectations

@testable import AuthBackends

@Suite struct ClientKeyTests {
    /// JWTs with the roles `anon` and `service_role`.
    private static let anon = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2ln"
    private static let service = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.c2ln"

    @Test(arguments: [
        ("sb_publishable_1", false), (anon, false), ("local-test", false), ("sb_secret_1", true), (service, true),
    ])
    func `a secret key is no client key of a Supabase project`(key: String, isSecret: Bool) {
        let error = failure(of: .supabase, key)
        expect((error != nil), isSecret)
        #expect(
            error.map { $0.reason == .usage && $0.nextSteps.contains { $0.sentence.contains("--admin-key-file") } }
                != false)
        expect(failure(of: .firebase, key), nil)
    }

    private func failure(of backend: BackendRegistration, _ key: String) -> AuthError? {
        do throws(AuthError) {
            try backend.checkClientKey(Secret(key))
            return nil
        } catch {
            return error
        }
    }
}
