import LibC

/// Replaces this process with a command (`execvp`), searched for in `PATH` if its name has no slash.
///
/// - Returns: the error if `execvp` failed; otherwise it does not return.
package func replaceProcess(_ command: [String]) -> Errno {
    guard let name = command.first else { return .noSuchFile }
    let words = command.map { strdup($0) }
    execvp(name, words + [nil])
    let failure = Errno.current
    for word in words { free(word) }
    return failure
}

/// Changes the environment of this process, for a command that inherits it.
///
/// - Parameter changes: variables to set, or to unset where the value is `nil`.
package func changeEnvironment(_ changes: [String: String?]) {
    for (name, value) in changes {
        if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
}

/// The process id.
package func processID() -> Int { Int(getpid()) }
