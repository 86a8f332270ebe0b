import CPseudoTerminal
import Foundation

/// A pseudo-terminal that the test controls.
package final class PseudoTerminal {
    /// The path of the slave side.
    let path: String
    private let master: Int32
    /// The slave side. It stays open, so that settings and screen output outlive the program.
    private let slave: Int32
    private var screen: [UInt8] = []
    private var isHungUp = false

    package init() {
        var name = [CChar](repeating: 0, count: 128)
        master = open_pseudo_terminal(&name, name.count)
        precondition(master >= 0, "the system has no more pseudo-terminals")
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        resize(columns: 80)
    }

    deinit {
        hangUp()
        close(slave)
    }

    /// The output on the screen so far.
    package var shown: String {
        while readMore(within: 0) {}
        return String(decoding: screen, as: UTF8.self)
    }

    /// Waits until the screen output contains the text at least `times` times. Returns `false` after 20 seconds.
    package func waitFor(_ text: String, times: Int = 1) -> Bool {
        let end = Date(timeIntervalSinceNow: 20)
        while String(decoding: screen, as: UTF8.self).components(separatedBy: text).count <= times {
            guard Date() < end else { return false }
            _ = readMore(within: 100)
        }
        return true
    }

    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    package func resize(columns: Int) {
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    }

    /// Sets `IUTF8`, so that erasing removes whole UTF-8 characters, as in common terminals.
    package func expectUTF8() {
        var settings = settings
        settings.c_iflag |= tcflag_t(IUTF8)
        tcsetattr(slave, TCSANOW, &settings)
    }

    /// Closes the master side, like a terminal that hangs up.
    package func hangUp() {
        if !isHungUp { close(master) }
        isHungUp = true
    }

    package var isEchoing: Bool { settings.c_lflag & tcflag_t(ECHO) != 0 }

    /// All settings as text, for comparisons.
    package var settingsText: String { "\(settings)" }

    private var settings: termios {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings
    }

    /// - Returns: whether there was any output.
    private func readMore(within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard !isHungUp, poll(&waiting, 1, milliseconds) > 0 else { return false }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = read(master, &chunk, chunk.count)
        guard count > 0 else { return false }
        screen += chunk[..<count]
        return true
    }
}
