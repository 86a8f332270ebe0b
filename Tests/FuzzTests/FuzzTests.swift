import Testing

/// A short version of `Tests/fuzz`, with the same mutations in every run.
@Suite struct FuzzTests {
    static let names = FuzzTarget.all.map(\.name)

    @Test(arguments: names) func `the seeds of a fuzz target violate no invariant`(name: String) throws {
        let target = try Self.target(name)
        let seeds = try target.seeds()
        try #require(!seeds.isEmpty)
        for seed in seeds { try check(target, seed) }
    }

    @Test(arguments: names) func `the mutated seeds of a fuzz target violate no invariant`(name: String) throws {
        let target = try Self.target(name)
        let seeds = try target.seeds()
        try #require(!seeds.isEmpty)
        var mutator = Mutator(seed: 1)
        for round in 0..<400 { try check(target, mutator.mutated(seeds[round * 7 % seeds.count])) }
    }

    private static func target(_ name: String) throws -> FuzzTarget {
        try #require(FuzzTarget.all.first { $0.name == name })
    }

    private func check(_ target: FuzzTarget, _ bytes: [UInt8]) throws {
        do {
            try target.check(bytes)
        } catch {
            Issue.record("\(error); of \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }
}
