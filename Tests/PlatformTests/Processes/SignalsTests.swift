import Expectations
import LibC
import Platform

/// Signals that arrive during a request whose result must be saved. Each test starts a separate process.
@Suite struct SignalsTests {
    @Test func `a signal during a request ends the process only after the result is saved`() async throws {
        let end = await #expect(processExitsWith: .signal(SIGINT), observing: [\.standardErrorContent]) {
            unblockSignals()
            deferringSignals {
                raise(SIGINT)
            } keep: { _ in
                pause(.seconds(1.5))
                say("saved")
            }
            say("continued")
        }
        expect(end.map(said)?.contains("saved"), true)
        expect(end.map(said)?.contains("continued"), false)
    }

    @Test func `a signal during a request ends the process if no result arrives within 0.8 seconds`() async throws {
        let end = await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardErrorContent]) {
            unblockSignals()
            deferringSignals {
                raise(SIGTERM)
                pause(.seconds(10))
                say("waited")
            } keep: {
            }
        }
        expect(end.map(said)?.contains("waited"), false)
    }

    @Test func `a second SIGHUP ends the process immediately, even while a result is being saved`() async throws {
        let end = await #expect(processExitsWith: .signal(SIGHUP), observing: [\.standardErrorContent]) {
            unblockSignals()
            deferringSignals {
                raise(SIGINT)
                raise(SIGHUP)
                say("held two")
            } keep: {
                raise(SIGHUP)
                say("held three")
            }
        }
        expect(end.map(said)?.contains("held two"), true)
        expect(end.map(said)?.contains("held three"), false)
    }

    @Test func `a signal that was ignored before a request stays ignored afterwards`() async throws {
        await #expect(processExitsWith: .success) {
            unblockSignals()
            signal(SIGINT, SIG_IGN)
            deferringSignals {
                raise(SIGINT)
            } keep: { _ in
                ()
            }
            pause(.seconds(1))
        }
    }
}

/// Tests run in threads that block signals, so each test unblocks them first.
private func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
}

private func say(_ text: String) { _ = write(STDERR_FILENO, text, text.utf8.count) }

/// The text on standard error, which also contains lines from the testing library.
private func said(_ end: ExitTest.Result) -> String { String(decoding: end.standardErrorContent, as: UTF8.self) }
