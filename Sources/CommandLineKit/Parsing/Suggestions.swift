/// Suggestions for an unknown word.
package enum Suggestions {
    /// Returns "did you mean 'login' or 'logout'?"; `nil` if no candidate is close. `dashes` precedes each name.
    ///
    /// - Parameter meant: the name that the word is a synonym of. If there is one, only this name is suggested.
    package static func question(
        for word: String, among candidates: [String], dashes: String = "", meant: String? = nil
    ) -> String? {
        let nearest = (meant.map { [$0] } ?? closest(to: word, among: candidates)).map { "'\(dashes)\($0)'" }
        return nearest.isEmpty ? nil : "did you mean \(nearest.joined(separator: " or "))?"
    }

    /// At most two candidates: the best that begin with the word, otherwise those at the smallest distance.
    ///
    /// The distance must be at most 2 and less than half of the word's length. A single letter is not treated as a
    /// prefix.
    package static func closest(to word: String, among candidates: [String]) -> [String] {
        let measured = candidates.map { (candidate: $0, distance: distance($0, word)) }
        let begun = measured.filter { word.count > 1 && $0.candidate.hasPrefix(word) }
        if !begun.isEmpty { return begun.sorted { $0.distance < $1.distance }.prefix(2).map(\.candidate) }

        let near = measured.filter { $0.distance <= 2 && $0.distance * 2 < word.count }
        let best = near.map(\.distance).min()
        return near.filter { $0.distance == best }.prefix(2).map(\.candidate)
    }

    /// The number of letters inserted, deleted, replaced or swapped with the next letter (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                let replaced = last[column] + (letter == other ? 0 : 1)
                var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
