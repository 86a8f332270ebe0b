import Foundation
import Synchronization

/// Starts Django sites through one launcher process per virtual environment; see `Tests/Servers/django/launcher.py`.
final class DjangoLauncher: Sendable {
    struct Site: Sendable {
        let url: String
        fileprivate let process: Int32
        fileprivate let logPath: String

        /// The site's standard error output so far.
        var log: String {
            // `try?`: the launcher creates the file before it runs the site, so the file can be read.
            (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
        }

        func stop() {
            kill(process, SIGKILL)
        }
    }

    private struct Started: Decodable {
        let port: Int
        let process: Int32
    }

    private struct Request: Encodable {
        let script: String
        let environment: [String: String]
        let log: String
    }

    private static let all = Mutex<[String: DjangoLauncher]>([:])

    /// - Parameter environment: the folder of the virtual environment.
    static func of(environment: String) throws -> DjangoLauncher {
        try all.withLock { launchers in
            if let launcher = launchers[environment] { return launcher }
            let launcher = try DjangoLauncher(environment: environment)
            if launchers.isEmpty { atexit { DjangoLauncher.stopAll() } }
            launchers[environment] = launcher
            return launcher
        }
    }

    /// Stops all launchers and deletes their folders.
    private static func stopAll() {
        all.withLock { $0 = [:] }
    }

    private let world: Sandbox
    private let script: ServingScript

    private init(environment: String) throws {
        world = Sandbox()
        script = try ServingScript(
            ["\(environment)/bin/python", Servers.path("django/launcher.py")], in: world,
            environment: ["PYTHONPYCACHEPREFIX": "\(environment)/compiled"])
    }

    /// Starts a site and waits until it listens.
    ///
    /// - Parameters:
    ///   - world: the sandbox that holds the log of the site.
    ///   - environment: additional environment variables.
    func start(_ path: String, in world: Sandbox, environment: [String: String]) throws -> Site {
        let log = "\(world.root)/log"
        let request = try JSONEncoder().encode(Request(script: path, environment: environment, log: log))
        let finished = try world.start(
            ["-sS", "--fail", "--data-binary", "@-", script.url], input: .bytes(Array(request)),
            program: ["/usr/bin/curl"]
        ).wait()
        guard finished.exitCode == 0, let started = try? JSONDecoder().decode(Started.self, from: finished.output)
        else {
            // `try?`: the launcher itself may have failed before the log exists.
            let reason = (try? world.text(log)) ?? ""
            throw JSONDocument.Fault("'\(path)' did not start: \(finished.stderr) \(reason) \(script.log)")
        }
        return Site(url: "http://127.0.0.1:\(started.port)", process: started.process, logPath: log)
    }
}
