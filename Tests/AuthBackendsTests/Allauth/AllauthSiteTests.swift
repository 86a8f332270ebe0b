import CommandTestSupport

@testable import AuthBackends

/// An allauth site's description of its login methods and providers.
@Suite struct AllauthSiteTests {
    private func site(_ answer: String, _ status: Int = 200) throws -> SiteTraits {
        try AllauthBackend.replaying(.allauth("GET config", status, answer)).site()
    }

    private static let google = SiteProvider(name: "google", clientID: nil, takesTokens: true)

    private static func facebook(_ clientID: String?) -> SiteProvider {
        SiteProvider(name: "facebook", clientID: clientID, takesTokens: true)
    }

    @Test(arguments: [
        (
            AllauthSample.site,
            SiteTraits(
                takesUsername: true, takesEmail: true, isOpenForSignUp: true, providers: [google, facebook("fbapp")])
        ),
        (
            AllauthSample.site(methods: #""email""#, isOpen: false, facebook: "x"),
            SiteTraits(
                takesUsername: false, takesEmail: true, isOpenForSignUp: false, providers: [google, facebook("x")])
        ),
        (
            #"{"status":200,"data":{"account":{"login_methods":["username"]}}}"#,
            SiteTraits(takesUsername: true, takesEmail: false, isOpenForSignUp: true, providers: [])
        ),
        (
            #"{"status":200,"data":{"account":{"login_methods":[]},"socialaccount":{"providers":[{"id":"facebook"}]}}}"#,
            SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: true, providers: [facebook(nil)])
        ),
        (
            #"{"status":200,"data":{"account":[],"socialaccount":{"providers":5}}}"#,
            SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: true, providers: [])
        ),
        (
            #"{"status":200}"#,
            SiteTraits(takesUsername: true, takesEmail: true, isOpenForSignUp: true, providers: [])
        ),
    ])
    func `an allauth site's traits come from its configuration; if it lists no login methods, all are assumed`(
        answer: String, traits: SiteTraits
    ) throws {
        try expect(site(answer), traits)
    }

    @Test(arguments: [
        (404, "<html>", AuthError.Reason.wrongEndpoint), (200, "<html>", .invalidResponse),
        (500, "<html>", .serverFault),
        (502, "", .serverFault), (401, "", .forbidden),
    ])
    func `if an allauth site's configuration cannot be read, the HTTP status determines the error reason`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        try expect(failure { _ = try site(answer, status) }.reason, reason)
    }
}
