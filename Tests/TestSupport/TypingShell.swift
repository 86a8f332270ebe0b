import Foundation

/// An interactive shell with the installed completions, in which the test types.
///
/// `authctl` is a fake in this shell: it records its arguments, and runs the real program only for completions.
package final class TypingShell {
    package enum Kind: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    private let world: Sandbox
    private let terminal = PseudoTerminal()
    private let shell: RunningProgram

    /// - Parameter prefix: the installation prefix.
    package init(_ kind: Kind, in world: Sandbox, prefix: String) throws {
        self.world = world
        try world.write(
            """
            #!/bin/sh
            [ "$1" = __complete ] && exec '\(BuiltBinary.path)' "$@"
            printf '%s\\n' "$@" >"$HOME/ran"
            echo DONE
            """, to: "\(world.home)/fake")
        // Another process makes the copy, because children of concurrent tests may inherit a descriptor that this
        // process has open for writing; executing the file then fails (ETXTBSY).
        try world.runScript("install -D -m 700 fake bin/authctl")
        let folder = world.home
        switch kind {
        case .bash:
            try world.write(
                """
                . /usr/share/bash-completion/bash_completion
                bind 'set show-all-if-ambiguous on'
                PS1='READY> '
                """, to: "\(folder)/.bashrc")
        case .zsh:
            try world.write(
                """
                fpath=('\(prefix)/share/zsh/site-functions' $fpath)
                autoload -U compinit
                compinit -u
                LISTMAX=1000
                PS1='READY> '
                """, to: "\(folder)/.zshrc")
        case .fish:
            try world.write("function fish_prompt; printf 'READY> '; end\n", to: "\(folder)/.config/fish/config.fish")
        }
        let path = "\(folder)/bin:\(prefix)/bin:/usr/local/bin:/usr/bin:/bin"
        let program = kind == .bash ? ["/bin/bash", "--noprofile", "-i"] : ["/usr/bin/\(kind.rawValue)", "-i"]
        shell = try world.start(
            [],
            environment: [
                "PATH": path, "XDG_DATA_DIRS": "\(prefix)/share:/usr/local/share:/usr/share", "TERM": "xterm",
            ], terminal: terminal, program: program)
        _ = terminal.waitFor("READY> ")
    }

    /// The screen output without escape sequences.
    package var screen: String {
        terminal.shown.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]|\u{1B}[=>]|\u{1B}\(B|\u{7}/, with: "")
    }

    /// Types `text`, and waits until the screen shows all of `words`. Returns `false` after 20 seconds.
    package func type(_ text: String, showing words: [String]) -> Bool {
        terminal.type(text)
        let end = Date(timeIntervalSinceNow: 20)
        while !words.allSatisfy(screen.contains) {
            guard Date() < end else { return false }
            usleep(20_000)
        }
        return true
    }

    /// Types a line with a newline, and waits until the fake `authctl` has run.
    ///
    /// - Returns: the arguments that the fake has recorded; an error message if it does not run within 20 seconds.
    package func run(_ line: String) throws -> [String] {
        terminal.type("\(line)\n")
        guard terminal.waitFor("DONE") else { return ["nothing was run: \(screen)"] }
        return try world.text("\(world.home)/ran").split(separator: "\n").map(String.init)
    }

    deinit { shell.killGroup() }
}
