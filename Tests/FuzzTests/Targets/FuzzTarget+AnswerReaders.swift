import AuthBackends
import AuthModel
import Platform
import Transport

extension FuzzTarget {
    /// One target per kind of server. Input: the number of a call, then responses.
    static let answerReaders = ["parse", "rest-auth", "allauth", "kii"].map { kind in
        FuzzTarget(
            name: kind,
            seeds: {
                let answers = try ScriptedResponses.recorded(kind)
                return answers.indices.map { index in
                    // Some calls send several requests, so each seed has two responses.
                    [UInt8(index % 32)] + answers[index] + [0] + answers[(index + 1) % answers.count]
                }
            },
            check: { bytes in
                let answers = ScriptedResponses(bytes.dropFirst())
                let stack = HTTPStack(
                    answers, masker: FuzzUser.masker, clock: .fixed(.whenFuzzed), pause: { _ in })
                let site = Site(Connection(backend: kind, server: "https://a.example/api", appID: "app"))
                let backend = try BackendRegistry.standard.makeBackend(for: site, stack)
                do {
                    for found in try BackendCalls(backend: backend).make(Int(bytes.first ?? 0)) {
                        try Invariants.check(found)
                    }
                } catch let error as BackendError {
                    try Invariants.check(error, answers.secretsSent)
                }
            })
    }
}
