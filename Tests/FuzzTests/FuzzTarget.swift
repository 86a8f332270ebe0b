/// A reader of external data, as a fuzzer calls it.
///
/// `Tests/fuzz` runs it in libFuzzer for minutes; `FuzzTests` runs it on a few mutated seeds.
struct FuzzTarget: Sendable {
    /// The name on the command line of `Tests/fuzz`.
    let name: String
    /// Valid inputs to begin with.
    let seeds: @Sendable () throws -> [[UInt8]]
    /// Reads the bytes. It must not trap, whatever the bytes are.
    ///
    /// - Throws: `FuzzFault` if the result breaks an invariant.
    let check: @Sendable ([UInt8]) throws -> Void

    static let all: [FuzzTarget] =
        answerReaders + [graph, arguments, json, retryAfter, serverURL, sessionFile, configuration, request]
}

/// An invariant that the result of a reader breaks.
struct FuzzFault: Error, CustomStringConvertible {
    let description: String

    /// Throws unless the condition holds.
    static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw FuzzFault(description: description()) }
    }
}
