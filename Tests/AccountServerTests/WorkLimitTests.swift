import Expectations
import Platform

@testable import AccountServer

@Suite struct WorkLimitTests {
    @Test func `a work limit bounds how many calls run and how many wait, and rejects further calls`() {
        let limit = WorkLimit(2, places: 3)
        let (gate, most, running, rejected) = (Monitor(false), Monitor(0), Monitor(0), Monitor(0))
        let results = atOnce(10) { index in
            let result = limit.run {
                let count = running.change {
                    $0 += 1
                    return $0
                }
                most.change { $0 = max($0, count) }
                _ = gate.wait { $0 ? true : nil }
                running.change { $0 -= 1 }
                return "worked"
            }
            // On the fifth rejection, open the gate, so that the other five calls finish.
            if result == nil,
                rejected.change({
                    $0 += 1
                    return $0
                }) == 5
            {
                gate.change { $0 = true }
            }
            return result ?? "rejected"
        }
        #expect(results.count { $0 == "worked" } == 5 && results.count { $0 == "rejected" } == 5)
        expect(most.change { $0 }, 2)
    }
}
