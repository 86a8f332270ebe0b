import Testing

/// A moment of what `Tests/fuzz` does for minutes: the same changes each time.
@Suite struct FuzzTests {
    static let names = FuzzTarget.all.map(\.name)

    @Test(arguments: names) func `what is known is read as it should be`(name: String) throws {
        let target = try Self.target(name)
        for seed in try target.seeds() { try check(target, seed) }
    }

    @Test(arguments: names) func `what is changed a little breaks nothing`(name: String) throws {
        let target = try Self.target(name)
        let seeds = try target.seeds()
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
