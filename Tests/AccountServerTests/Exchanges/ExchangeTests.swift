import Expectations

@Suite struct ExchangeTests {
    @Test func `the server responds like Parse Server 8.2.2, except for the intended differences`() throws {
        let replay = ExchangeReplay()
        var unused = Set(IntendedDifferences.table.keys)
        for exchange in try RecordedExchange.all() {
            guard let answer = try replay.run(exchange), let recorded = exchange.answer else { continue }
            // `?` stands for a body that was too long to record, so only the status is compared.
            let agrees =
                recorded.hasSuffix("?")
                ? answer.signature.hasPrefix(recorded.dropLast()) : answer.signature == recorded
            if agrees { continue }
            #expect(
                unused.remove(exchange.name) != nil,
                "\(exchange.name): \(recorded), here \(answer.line.prefix(300))")
        }
        expect(unused, [], "no longer different")
        // A request with an unfilled placeholder proves nothing: the server may reject it with the recorded status.
        #expect(replay.unfilled.isEmpty)
    }
}
