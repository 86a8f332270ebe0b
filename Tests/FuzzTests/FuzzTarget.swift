/// A parser of external data, called by a fuzzer.
///
/// `Tests/fuzz` runs a target in libFuzzer for minutes; `FuzzTests` runs the target on its seeds and on mutated seeds.
struct FuzzTarget: Sendable {
    /// The name on the command line of `Tests/fuzz`.
    let name: String
    /// Initial inputs, which are mutated.
    let seeds: @Sendable () throws -> [[UInt8]]
    /// Parses the bytes, and must not trap on any input.
    ///
    /// - Throws: `FuzzFault` if the result violates an invariant.
    let check: @Sendable ([UInt8]) throws -> Void

    static let all: [FuzzTarget] =
        answerReaders
        + [graph, arguments, json, retryAfter, serverURL, sessionFile, checkTable, configuration, request, requestHead]
}

/// A violated invariant.
struct FuzzFault: Error, CustomStringConvertible {
    let description: String

    /// Throws a `FuzzFault` unless the condition holds.
    static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw FuzzFault(description: description()) }
    }
}
