import Foundation
import TestSupport
import Testing

/// JWTs and refresh tokens are in the session file and nowhere else.
@Suite(.keepsInvariants) struct JWTSecrecyTests {
    private static let first = ScriptedSite.token(hoursAhead: 1, number: 1)
    private static let second = ScriptedSite.token(hoursAhead: 1, number: 2)

    @Test(arguments: [[], ["--json"]])
    func `commands with a refresh show no token`(format: [String]) throws {
        // A server may repeat the tokens that it received.
        func fault(_ token: String) -> String { #"{"detail":"\#(token)","refresh":["\#(token) is not good"]}"# }
        let site = try ScriptedSite(
            access: Self.first,
            [
                "token/refresh/": [.json(#"{"access":"\#(Self.second)","refresh":"canary-refresh"}"#)],
                "password/change/": [.json(fault(Self.second), "400 Bad Request")],
                "logout/": [.json(fault("canary-refresh"), "500 Internal Server Error")],
            ])
        let world = site.world
        try world.letSessionRunOut("site")
        var runs: [Finished] = []
        for words in [["whoami"], ["sessions"], ["profile", "show"], ["password", "change", "--password-stdin"]] {
            let input: Input = "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
            runs.append(try world.start(words + ["-v"] + format, input: input).wait())
        }
        #expect(try world.storedPair() == (Self.second, "canary-refresh"))
        runs.append(try world.run("exec", "--", "true"))
        let forms = [Self.first, Self.second, "refresh-1", "canary-refresh", Sandbox.password, Sandbox.newPassword]
            .map { SecretForms($0) }
        for (path, bytes) in world.snapshot() where path != world.siteFile {
            #expect(!forms.contains { $0.isFound(in: Data(bytes)) }, "\(path)")
        }
        runs.append(try world.start(["logout", "-v"] + format).wait())
        #expect(runs.map(\.exitCode).prefix(3) == [0, 0, 0])
        for run in runs {
            for form in forms { #expect(!form.isFound(in: run.everything), "\(form.secret): \(run.everything)") }
        }
        for (path, bytes) in world.snapshot() { #expect(!forms.contains { $0.isFound(in: Data(bytes)) }, "\(path)") }
    }
}
