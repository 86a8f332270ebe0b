import AuthClient
import AuthModel
import CommandLineKit
import Transport

/// How the pages of an app keep the session.
struct BrowserOptions: Sendable, Equatable {
    var origin = ""
    var storageNames: [String] = []
    var sessionCookie: String?
    var appName: String?
    var usesIndexedDB = false

    /// - Parameter command: the words of the command before the origin, for a hint.
    /// - Throws: `AuthError` `usage` if the origin is malformed; `plainHTTP` if it is not encrypted.
    func page(_ command: [String], _ context: Context) throws(AuthError) -> BrowserPage {
        let url: ServerURL
        do throws(ServerURL.Fault) {
            url = try ServerURL(origin)
        } catch {
            throw AuthError(
                .usage, "origin '\(ServerURL.masked(origin))' \(error.problem)",
                next: "use an origin such as http://localhost:3000")
        }
        guard let parts = URLParts(url.text), parts.path.isEmpty else {
            throw AuthError(
                .usage, "origin '\(origin)' has a path",
                next: NextStep("remove it", run: command + [URLParts(url.text)?.origin ?? ""]))
        }
        let isAllowed = context.globals.allowsHTTP || context.environment.isOn("AUTHCTL_ALLOW_HTTP")
        guard url.isSecure || url.isLoopback || isAllowed else {
            throw AuthError(
                .plainHTTP, "a page of '\(parts.origin)' would send the session unencrypted",
                nextSteps: ["use an https URL", "to send the session unencrypted anyway, add --allow-http"])
        }
        var page = BrowserPage(origin: parts, command: command)
        (page.storageNames, page.sessionCookie) = (storageNames, sessionCookie)
        (page.appName, page.usesIndexedDB) = (appName, usesIndexedDB)
        return page
    }
}

protocol TakesBrowserOptions: CommandOptions {
    var browser: BrowserOptions { get set }
}

extension Array {
    /// The options that say how pages keep the session.
    static func browserOptions<Options: TakesBrowserOptions>() -> [Element] where Element == Argument<Options> {
        [
            .list(
                { $0.browser.storageNames.append($1) }, "local-storage", value: "NAME",
                help: "Local-storage entry for the token."),
            .option(
                { $0.browser.sessionCookie = $1 }, "session-cookie", value: "NAME", default: "sessionid",
                help: "Name of the site's session cookie."),
            .option(
                { $0.browser.appName = $1 }, "app-name", value: "NAME", default: "[DEFAULT]",
                help: "Name of the page's Firebase app."),
            .flag(
                { $0.browser.usesIndexedDB = $1 }, "indexed-db",
                help: "Use IndexedDB in place of the local storage."),
        ]
    }
}
