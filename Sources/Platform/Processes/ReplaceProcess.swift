import LibC

/// Puts a command in the place of this process, looked for along `PATH` if its name has no slash.
///
/// - Parameter environment: variables to set, and to take out where the value is `nil`; the others stay.
/// - Returns: why that failed; else it does not return.
package func replaceProcess(_ command: [String], _ environment: [String: String?]) -> Errno {
    for (name, value) in environment {
        if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
    guard let name = command.first else { return .noSuchFile }
    let words = command.map { strdup($0) }
    execvp(name, words + [nil])
    let failure = Errno.current
    for word in words { free(word) }
    return failure
}

/// The number of this process.
package func processID() -> Int { Int(getpid()) }
