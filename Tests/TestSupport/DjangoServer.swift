import Foundation

/// A running Django site with a separate database. It stops when the last reference is released.
///
/// See `Tests/Servers/django/accounts.py` for the features of the sites, and `MODES` in a site script for its modes.
package final class DjangoServer: Sendable {
    package enum Family: String, Sendable {
        case restAuth = "rest-auth"
        case djRestAuth = "dj-rest-auth"
        /// allauth's headless API.
        case allauth
        /// A site with a login form, without an API for accounts.
        case login

        /// rest-auth and its successor dj-rest-auth, whose APIs are almost the same.
        package static let restAuths: [Self] = [.restAuth, .djRestAuth]
        fileprivate static let all = restAuths + [.allauth]

        fileprivate var script: String {
            "django/\(rawValue.replacingOccurrences(of: "-", with: "_"))_site.py"
        }

        /// The name of the site's virtual environment.
        fileprivate var environment: String { Self.restAuths.contains(self) ? rawValue : Self.djRestAuth.rawValue }

        /// The mount path of the API.
        package var path: String {
            switch self {
            case .allauth: "/_allauth/app/v1"
            case .login: ""
            case .restAuth, .djRestAuth: "/\(rawValue)"
            }
        }
    }

    /// Whether the Django sites are installed. Also true if `AUTHCTL_TEST_SERVERS` is `required`, so that tests fail if
    /// a site is missing.
    package static let isAvailable =
        ProcessInfo.processInfo.environment["AUTHCTL_TEST_SERVERS"] == "required"
        || Family.all.allSatisfy { FileManager.default.fileExists(atPath: "\(folder($0.rawValue))/migrated") }

    /// The reason that a skipped test reports.
    package static let absence = "the Django servers are not installed: Tests/run installs them"

    /// The base URL, including the mount path of the API.
    package let url: String
    package let world: Sandbox
    /// The fake Facebook server; `nil` if the site has none.
    package let graph: GraphServer?
    private let site: DjangoLauncher.Site
    /// A shell command that runs a management command of the site, such as `dumpdata auth.user`, in place of
    /// `python manage.py`.
    package let manager: String

    /// - Parameters:
    ///   - environment: variables that `accounts.py` reads.
    ///   - hasFacebook: whether to start a fake Facebook server. Without it, the site's requests to Facebook fail.
    package init(
        _ family: Family, _ mode: String = "none", hasFacebook: Bool = false, environment: [String: String] = [:]
    ) throws {
        // The login site adds its own tables and accounts.
        let template = "\(Self.folder(family == .login ? family.environment : family.rawValue))/database"
        guard FileManager.default.fileExists(atPath: template) else { throw JSONDocument.Fault(Self.absence) }
        let world = Sandbox()
        let graph = hasFacebook ? try GraphServer() : nil
        var variables = environment
        variables["SITE_MODE"] = mode
        variables["SITE_FOLDER"] = world.root
        if let graph { variables["SITE_GRAPH"] = graph.url }
        try FileManager.default.copyItem(atPath: template, toPath: "\(world.root)/database")
        site = try DjangoLauncher.of(environment: Self.folder(family.environment))
            .start(Servers.path(family.script), in: world, environment: variables)
        let settings = variables.map { "'\($0)=\($1)'" }.joined(separator: " ")
        manager = "env \(settings) '\(Self.folder(family.environment))/bin/python' '\(Servers.path(family.script))'"
        url = site.url + family.path
        self.world = world
        self.graph = graph
    }

    deinit {
        site.stop()
    }

    /// The standard error output of the server so far.
    package var log: String { site.log }

    /// The answered requests so far, each in the form `POST /rest-auth/login/ 200`.
    package var requests: [String] {
        // `try?`: the file does not exist before the first request.
        let text = (try? world.text("\(world.root)/requests")) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The e-mails sent so far, oldest first.
    package var mails: [Mail] {
        world.contents(of: "\(world.root)/mails").filter { $0.hasSuffix(".txt") }.sorted()
            .compactMap { try? Mail(text: world.text($0)) }
    }

    /// Changes an account as an administrator would, for example `change("totp", "ann")`; see `accounts.py`.
    ///
    /// - Returns: the lines of the response.
    @discardableResult
    package func change(_ command: String, _ name: String) throws -> [String] {
        let finished = try world.start(
            ["-sS", "--fail", "\(site.url)/_change/\(command)/\(name)"], program: ["/usr/bin/curl"]
        ).wait()
        guard finished.exitCode == 0 else { throw JSONDocument.Fault("\(command) \(name): \(finished.stderr) \(log)") }
        return finished.stdout.split(separator: "\n").map(String.init)
    }

    package struct Mail: Sendable {
        /// Recipients, subject, an empty line, and the text.
        package let text: String

        /// The percent-decoded key from the confirmation link.
        package var verificationKey: String? {
            text.firstMatch(of: /confirm-email\/([^\/\s]+)/).flatMap { String($0.1).removingPercentEncoding }
        }

        /// The code that some sites send instead of a link.
        package var code: String? {
            text.firstMatch(of: /\n([0-9A-Z]{3,4}-[0-9A-Z]{3,4})\n/).map { String($0.1) }
        }
    }

    /// The folder that `install-django.sh` creates.
    private static func folder(_ name: String) -> String {
        URL(fileURLWithPath: Servers.path("../../.build/django/\(name)")).standardized.path
    }
}
