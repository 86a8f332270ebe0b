import Foundation

/// An account server made of Django, with accounts of its own; ended with the last reference.
///
/// `Tests/Servers/django/accounts.py` describes what it can do, `MODES` beside it what there is of each family.
package final class DjangoServer: Sendable {
    package enum Family: String, Sendable {
        case restAuth = "rest-auth"
        case djRestAuth = "dj-rest-auth"
        /// allauth's own headless API.
        case allauth

        /// Those that speak almost the same.
        package static let restAuths: [Self] = [.restAuth, .djRestAuth]
        fileprivate static let all = restAuths + [.allauth]

        fileprivate var script: String {
            "django/\(rawValue.replacingOccurrences(of: "-", with: "_"))_site.py"
        }

        /// The virtual environment that it runs in.
        fileprivate var environment: String { self == .allauth ? Self.djRestAuth.rawValue : rawValue }

        /// Where its API is mounted.
        package var path: String { self == .allauth ? "/_allauth/app/v1" : "/\(rawValue)" }
    }

    /// Whether tests can have such servers. Where they must, they run without them, too, and fail.
    package static let isAvailable =
        ProcessInfo.processInfo.environment["AUTHCTL_TEST_SERVERS"] == "required"
        || Family.all.allSatisfy { FileManager.default.fileExists(atPath: "\(folder($0.rawValue))/migrated") }

    /// Why a test is skipped where they are not.
    package static let absence = "the Django servers are not installed: Tests/run installs them"

    /// With the path that the API is mounted at.
    package let url: String
    package let world: Sandbox
    /// What stands in for Facebook; `nil`: nothing does.
    package let graph: GraphServer?
    private let program: ServingScript

    /// - Parameters:
    ///   - environment: the variables that `accounts.py` knows.
    ///   - hasFacebook: whether something stands in for Facebook; otherwise nothing answers in its place.
    package init(
        _ family: Family, _ mode: String = "none", hasFacebook: Bool = false, environment: [String: String] = [:]
    ) throws {
        let template = "\(Self.folder(family.rawValue))/database"
        guard FileManager.default.fileExists(atPath: template) else { throw JSONDocument.Fault(Self.absence) }
        let world = try Sandbox()
        let graph = hasFacebook ? try GraphServer() : nil
        var variables = environment
        variables["SITE_MODE"] = mode
        variables["SITE_FOLDER"] = world.root
        variables["PYTHONPYCACHEPREFIX"] = "\(Self.folder(family.environment))/compiled"
        if let graph { variables["SITE_GRAPH"] = graph.url }
        try FileManager.default.copyItem(atPath: template, toPath: "\(world.root)/database")
        program = try ServingScript(Self.command(family) + ["serve"], in: world, environment: variables)
        url = program.url + family.path
        self.world = world
        self.graph = graph
    }

    /// What it complained of so far.
    package var log: String { program.log }

    /// The requests that it answered so far, each as `POST /rest-auth/login/ 200`.
    package var requests: [String] {
        // `try?`: there is no such file before the first request.
        let text = (try? world.text("\(world.root)/requests")) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The mails that it sent so far, the newest last.
    package var mails: [Mail] {
        world.contents(of: "\(world.root)/mails").filter { $0.hasSuffix(".txt") }.sorted()
            .compactMap { try? Mail(text: world.text($0)) }
    }

    /// Changes an account as an administrator would: `change("deactivate", "ann")`; see `accounts.py`.
    ///
    /// - Returns: the lines of the answer.
    @discardableResult
    package func change(_ command: String, _ name: String) throws -> [String] {
        let finished = try world.start(
            ["-sS", "--fail", "\(program.url)/_change/\(command)/\(name)"], program: ["/usr/bin/curl"]
        ).wait()
        guard finished.exitCode == 0 else { throw JSONDocument.Fault("\(command) \(name): \(finished.stderr) \(log)") }
        return finished.stdout.split(separator: "\n").map(String.init)
    }

    package struct Mail: Sendable {
        /// Receivers, subject, an empty line, and what was written.
        package let text: String

        /// The key in the link that confirms an address, as it must be sent.
        package var verificationKey: String? {
            text.firstMatch(of: /confirm-email\/([^\/\s]+)/).flatMap { String($0.1).removingPercentEncoding }
        }

        /// The code that stands for a link.
        package var code: String? {
            text.firstMatch(of: /\n([0-9A-Z]{3,4}-[0-9A-Z]{3,4})\n/).map { String($0.1) }
        }

        /// What the link that resets a password is made of.
        package var reset: (uid: String, token: String)? {
            text.firstMatch(of: /reset\/([^\/\s]+)\/([^\/\s]+)/).map { (String($0.1), String($0.2)) }
        }
    }

    private static func command(_ family: Family) -> [String] {
        ["\(folder(family.environment))/bin/python", Servers.path(family.script)]
    }

    /// Where `install-django.sh` puts it.
    private static func folder(_ name: String) -> String {
        URL(fileURLWithPath: Servers.path("../../.build/django/\(name)")).standardized.path
    }
}
