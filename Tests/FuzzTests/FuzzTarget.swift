/// A reader of what comes from outside, as a fuzzer sees it.
///
/// `Tests/fuzz` gives it to libFuzzer for minutes; `FuzzTests` mutates its seeds for a moment.
struct FuzzTarget: Sendable {
    /// As it is called on the command line of `Tests/fuzz`.
    let name: String
    /// What to begin with, each something that the reader knows.
    let seeds: @Sendable () throws -> [[UInt8]]
    /// Whatever the bytes are, this neither traps nor throws.
    ///
    /// - Throws: `FuzzFault` where something came of them that must not.
    let check: @Sendable ([UInt8]) throws -> Void

    static let all: [FuzzTarget] =
        answerReaders + [graph, arguments, json, retryAfter, serverURL, sessionFile, configuration, request]
}

/// What a reader made of bytes that it must not.
struct FuzzFault: Error, CustomStringConvertible {
    let description: String

    /// Unless it holds.
    static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw FuzzFault(description: description()) }
    }
}
