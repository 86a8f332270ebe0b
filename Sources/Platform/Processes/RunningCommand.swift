import CProcess
import LibC

/// A command that runs while this process lives: a child process in the same process group, with the same terminal,
/// standard streams and environment. A process has at most one at a time.
///
/// On Linux the command gets SIGTERM if this process is killed.
package struct RunningCommand: Sendable {
    /// Starts a command, searched for in `PATH` if its name has no slash. Call it from the main thread: on Linux, the
    /// end of the thread counts as the end of the process.
    ///
    /// - Throws: `Errno` if the system cannot run it.
    package static func start(_ command: [String]) throws(Errno) -> RunningCommand {
        guard !command.isEmpty else { throw .noSuchFile }
        let words = command.map { strdup($0) }
        defer { for word in words { free(word) } }
        var failure: Int32 = 0
        guard start_command(words + [nil], &failure) > 0 else { throw Errno(failure) }
        return RunningCommand()
    }

    /// The exit code if the command has ended: 128 + signal if a signal ended it. Later calls return `nil`.
    package func takeExitCode() -> Int32? {
        var status: Int32 = 0
        return command_has_ended(&status) == 0 ? nil : exit_code_of(status)
    }

    /// Asks the command to end, and waits until it has ended.
    package func end() { end_command() }

    /// Passes signals on to the command instead of taking their action. The command also gets the signals that arrive
    /// before it starts.
    ///
    /// Ignored signals stay ignored. Signals from keys of the terminal are not passed on, because the terminal also
    /// sends them to the command.
    package static func passSignalsOn() {
        let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]
        pass_signals_on(signals, Int32(signals.count))
    }
}

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

/// The process id.
package func processID() -> Int { Int(getpid()) }
