import LibC
import Platform
import Testing

/// Signals that come while something is got that must be kept. Each test has a process of its own, which ends by them.
@Suite struct SignalsTests {
    @Test func `one is held until what was got is kept, however long that takes`() async throws {
        let end = await #expect(processExitsWith: .signal(SIGINT), observing: [\.standardErrorContent]) {
            unblockSignals()
            holdingSignals {
                raise(SIGINT)
            } keep: { _ in
                pause(.seconds(1.5))
                say("kept")
            }
            say("went on")
        }
        #expect(end.map(said)?.contains("kept") == true)
        #expect(end.map(said)?.contains("went on") == false)
    }

    @Test func `where nothing is got it ends the process all the same`() async throws {
        let end = await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardErrorContent]) {
            unblockSignals()
            holdingSignals {
                raise(SIGTERM)
                pause(.seconds(10))
                say("waited")
            } keep: {
            }
        }
        #expect(end.map(said)?.contains("waited") == false)
    }

    @Test func `a second one of a kind ends it at once`() async throws {
        let end = await #expect(processExitsWith: .signal(SIGHUP), observing: [\.standardErrorContent]) {
            unblockSignals()
            holdingSignals {
                raise(SIGINT)
                raise(SIGHUP)
                say("held two")
            } keep: {
                raise(SIGHUP)
                say("held three")
            }
        }
        #expect(end.map(said)?.contains("held two") == true)
        #expect(end.map(said)?.contains("held three") == false)
    }

    @Test func `one that is ignored stays so, and nothing is left behind`() async throws {
        await #expect(processExitsWith: .success) {
            unblockSignals()
            signal(SIGINT, SIG_IGN)
            holdingSignals {
                raise(SIGINT)
            } keep: { _ in
                ()
            }
            pause(.seconds(1))
        }
    }
}

/// A test runs in a thread that leaves signals to others.
private func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
}

private func say(_ text: String) { _ = write(STDERR_FILENO, text, text.utf8.count) }

/// The testing library writes a little there, too.
private func said(_ end: ExitTest.Result) -> String { String(decoding: end.standardErrorContent, as: UTF8.self) }
