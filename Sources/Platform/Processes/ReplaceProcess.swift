import LibC

/// Replaces this process with a command (`execvp`), searched for in `PATH` if its name has no slash.
///
/// - Parameter environment: variables to set, or to unset where the value is `nil`; all others are inherited.
/// - Returns: the error if `execvp` failed; otherwise it does not return.
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

/// The process id.
package func processID() -> Int { Int(getpid()) }
