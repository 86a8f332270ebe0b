import AuthModel
import Expectations
import Platform

@testable import AuthBackends

@Suite struct JWTTests {
    private func jwt(_ content: String, header: String = #"{"alg":"HS256"}"#) -> JWT? {
        JWT(Secret(RestAuthSample.jwt(content, header: header)))
    }

    @Test func `the issue time and the expiry of a JWT are read from iat and exp`() throws {
        let token = try #require(jwt(#"{"exp":1700000300,"iat":1700000000,"user_id":"7"}"#))
        expect(token.issuedAt, Instant(seconds: 1_700_000_000))
        expect(token.expiresAt, Instant(seconds: 1_700_000_300))
    }

    @Test(arguments: [
        (#"{"iat":7,"nbf":9}"#, Instant(seconds: 9)), (#"{"iat":7,"nbf":5}"#, Instant(seconds: 7)), ("{}", nil),
    ])
    func `a JWT is valid from the later one of iat and nbf`(content: String, start: Instant?) throws {
        try expect(#require(jwt(content)).validFrom, start)
    }

    /// Only the server can verify the signature.
    @Test(arguments: [#"{"alg":"none"}"#, #"{"typ":"JWT","alg":"RS256"}"#, #"{"alg":7}"#])
    func `a JWT with any signature algorithm is recognized`(header: String) {
        #expect(jwt("{}", header: header) != nil)
    }

    @Test func `a JWT may have an empty signature, but requires the dot before it`() {
        let parts = RestAuthSample.jwt("{}").split(separator: ".")
        #expect(JWT(Secret("\(parts[0]).\(parts[1]).")) != nil)
        expect(JWT(Secret("\(parts[0]).\(parts[1])")), nil)
    }

    @Test(arguments: [
        "9424efaadf79497d220bbd21bfffc959211606fc", "", ".", "..", "...", "a.b.c", "v1.public.cGF5bG9hZA",
        "eyJhbGciOiJub25lIn0.e30.c.d", "eyJhbGciOiJub25lIn0.bm8ganNvbg.c", "bm8ganNvbg.e30.c",
        "eyJhbGciOiJub25lIn0.W10.c", "e30.e30.c", "eyJhbGciOiJub25lIn0=.e30.c", "eyJhbGciOiJub25lIn0. e30.c",
        "eyJhbGciOiJub25lIn0.e30+.c", "eyJhbGciOiJub25lIn0..c", "é.é.é",
    ])
    func `an opaque or malformed token is not recognized as a JWT`(text: String) {
        expect(JWT(Secret(text)), nil)
        #expect(!Session(token: Secret(text)).isJWT)
    }

    @Test(arguments: [
        ("{}", nil), (#"{"exp":null}"#, nil), (#"{"exp":"1700000300"}"#, nil), (#"{"exp":[1]}"#, nil),
        (#"{"exp":true}"#, nil), (#"{"exp":1e300}"#, nil), (#"{"exp":-1e300}"#, nil),
        (#"{"exp":1700000300.9}"#, Instant(seconds: 1_700_000_300)), (#"{"exp":-0.5}"#, Instant(seconds: -1)),
        (#"{"exp":1.7e9}"#, Instant(seconds: 1_700_000_000)), (#"{"exp":-5}"#, Instant(seconds: -5)),
        (#"{"exp":0}"#, Instant(seconds: 0)), (#"{"exp":9223372036854775807}"#, Instant(seconds: .max)),
        (#"{"exp":-9223372036854775808}"#, Instant(milliseconds: .min)), (#"{"exp":9223372036854775808}"#, nil),
        (#"{"exp":99999999999999999999999999}"#, nil),
    ])
    func `a malformed exp claim is ignored, and a fraction is rounded down`(content: String, end: Instant?) throws {
        try expect(#require(jwt(content)).expiresAt, end)
    }

    /// The clocks of the server and this machine may differ by hours.
    @Test(arguments: [
        (#"{"exp":1700000300,"iat":1700000000}"#, Instant.sampleNow.adding(.seconds(300))),
        (#"{"exp":4102444800,"iat":4102444500.5}"#, .sampleNow.adding(.seconds(300))),
        (#"{"exp":1700000300}"#, Instant(seconds: 1_700_000_300)), (#"{"iat":1700000000}"#, nil),
        (#"{"exp":1700000000,"iat":1700000000}"#, Instant(seconds: 1_700_000_000)),
        (#"{"exp":1,"iat":1700000000}"#, Instant(seconds: 1)), ("{}", nil),
        (#"{"exp":300,"iat":-300}"#, .sampleNow.adding(.seconds(600))),
        (#"{"exp":9223372036854775807,"iat":0}"#, Instant(seconds: .max)),
        (#"{"exp":9223372036854775807,"iat":-9223372036854775808}"#, Instant(seconds: .max)),
        (#"{"exp":9223372036854775807,"iat":9223372036854775807}"#, Instant(seconds: .max)),
    ])
    func `the lifetime of a JWT with iat and exp begins when it is received`(content: String, end: Instant?) throws {
        try expect(#require(jwt(content)).end(issuedAt: .sampleNow), end)
    }

    /// Anyone can write a JWT, and the client cannot verify its signature.
    @Test func `the user of a session is not read from the payload of a JWT`() throws {
        let secret = Secret(RestAuthSample.jwt(#"{"user_id":"1","username":"root","email":"r@b.example"}"#))
        var text = ""
        dump(Session(foreign: secret), to: &text)
        dump(Session(given: secret, refreshToken: nil, at: .sampleNow, Masker()), to: &text)
        dump(JWT(secret), to: &text)
        #expect(!text.contains("root") && !text.contains("r@b.example"))
    }
}
