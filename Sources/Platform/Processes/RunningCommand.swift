import CProcess
import LibC

/// A command that runs as a child process of this process, with the same process group, terminal, standard streams and
/// environment. At most one command runs at a time.
///
/// On Linux, the command receives SIGTERM if this process is killed.
package struct RunningCommand: Sendable {
    /// Starts a command. A name without a slash is searched for in `PATH`. Call this from the main thread: on Linux,
    /// the command receives SIGTERM when the thread that started it ends.
    ///
    /// - Parameter words: C strings, because arguments may be invalid UTF-8.
    /// - Throws: `Errno` if the system cannot run the command.
    package static func start(_ words: [UnsafeMutablePointer<CChar>?]) throws(Errno) -> RunningCommand {
        guard !words.isEmpty else { throw .noSuchFile }
        var failure: Int32 = 0
        guard start_command(words + [nil], &failure) > 0 else { throw Errno(failure) }
        return RunningCommand()
    }

    /// Returns the exit code, or 128 + signal number; `nil` if the command is running or its end was already reported.
    package func takeExitCode() -> Int32? {
        var status: Int32 = 0
        return command_has_ended(&status) == 0 ? nil : exit_code_of(status)
    }

    /// Sends SIGTERM to the command, and waits until the command has ended.
    package func end() { end_command() }

    /// Forwards signals to the command instead of handling them in this process. Signals that arrive before the command
    /// starts are forwarded when it starts.
    ///
    /// Ignored signals stay ignored. While the command runs, signals from terminal keys, such as Ctrl-C, are not
    /// forwarded, because the terminal also sends them to the command.
    package static func passSignalsOn() {
        let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]
        pass_signals_on(signals, Int32(signals.count))
    }
}

/// Replaces this process with a command (`execvp`), searched for in `PATH` if its name has no slash.
///
/// - Parameter words: C strings, because arguments may be invalid UTF-8.
/// - Returns: the error of `execvp`. The function does not return if `execvp` succeeds.
package func replaceProcess(_ words: [UnsafeMutablePointer<CChar>?]) -> Errno {
    guard let name = words.first ?? nil else { return .noSuchFile }
    execvp(name, words + [nil])
    return .current
}

package func processID() -> Int { Int(getpid()) }
