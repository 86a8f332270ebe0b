import JSON
package import Transport

/// Delays a fraction of the matching Parse requests, makes them fail, or both. Tests create these rules.
///
/// Each rule has its own random number generator, which advances once per matching request. With the same seed, the
/// same sequence of requests therefore gets the same decisions, regardless of other rules.
struct FaultRule {
    /// `nil` for any method.
    private let method: HTTPRequest.Method?
    /// The path segments below the mount path; `*` matches one segment. `nil` for any path.
    private let path: [String]?
    private let rate: Double
    let fault: Fault
    private var generator: FaultGenerator

    static let mostRules = 100

    /// Decides whether the fault applies to a request. Call this once per request, in the order of arrival.
    mutating func decide(_ method: HTTPRequest.Method, _ path: [String]) -> Bool {
        guard matches(method, path) else { return false }
        return generator.nextFraction() < rate
    }

    private func matches(_ method: HTTPRequest.Method, _ path: [String]) -> Bool {
        guard self.method == nil || self.method == method else { return false }
        guard let pattern = self.path else { return true }
        return pattern.count == path.count && zip(pattern, path).allSatisfy { $0 == "*" || $0 == $1 }
    }
}

/// The effect of a fault: a delay, a response that replaces the normal one, or both.
package struct Fault: Sendable {
    package let delay: Duration
    /// `nil` if the normal response follows the delay.
    package let response: HTTPResponse?
}

/// SplitMix64. Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
private struct FaultGenerator {
    var state: UInt64

    /// Returns a number of at least 0 and less than 1.
    mutating func nextFraction() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
    }
}

extension FaultRule {
    private static let members = ["route", "rate", "status", "delayMs", "seed"]

    /// Parses rules like `[{"route":"POST /login","rate":0.5,"status":503,"delayMs":200,"seed":7}]`. `route` is
    /// required, and at least one of `status` and `delayMs`.
    static func rules(_ value: JSONValue) throws(RequestError) -> [FaultRule] {
        guard let list = value.array else { throw .invalid("the body must be a list of faults") }
        guard list.count <= mostRules else { throw .invalid("at most \(mostRules) faults are possible") }
        return try list.map { item throws(RequestError) in
            guard let object = item.object else { throw .invalid("each fault must be an object") }
            return try FaultRule(object)
        }
    }

    private init(_ object: JSONObject) throws(RequestError) {
        if let name = object.names.first(where: { !Self.members.contains($0) }) {
            throw .invalid("a fault has no member '\(name)'")
        }
        // `METHOD /path`; `*` stands for any method, any path or any segment of the path.
        let words = object["route"]?.string?.split(separator: " ").map(String.init) ?? []
        guard words.count == 2, words[1] == "*" || words[1].hasPrefix("/") else {
            throw .invalid("'route' must be a method and a path, such as 'POST /login'")
        }
        method = words[0] == "*" ? nil : HTTPRequest.Method(rawValue: words[0])
        path = words[1] == "*" ? nil : words[1].split(separator: "/").map(String.init)
        guard let rate = (object["rate"] ?? 1).double, 0...1 ~= rate else {
            throw .invalid("'rate' must be a number from 0 to 1")
        }
        self.rate = rate
        let status = try Self.integer(object, "status", 400...599)
        let delay = try Self.integer(object, "delayMs", 0...60_000)
        guard status != nil || delay != nil else { throw .invalid("a fault needs 'status' or 'delayMs'") }
        fault = Fault(
            delay: .milliseconds(delay ?? 0), response: status.map { ParseResponses.failure(status: Int($0)) })
        let seed = try Self.integer(object, "seed", .min ... .max) ?? 0
        generator = FaultGenerator(state: UInt64(bitPattern: seed))
    }

    private static func integer(
        _ object: JSONObject, _ name: String, _ range: ClosedRange<Int64>
    ) throws(RequestError) -> Int64? {
        guard let value = object[name] else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw .invalid(
                range == .min ... .max
                    ? "'\(name)' must be an integer"
                    : "'\(name)' must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
