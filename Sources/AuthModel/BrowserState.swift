package import JSON
package import Transport

/// A page whose browser is to start logged in.
package struct BrowserPage: Sendable {
    package let origin: URLParts
    /// The words of the command before the origin.
    package let command: [String]
    /// The entries of the local storage that also get the token.
    package var storageNames: [String] = []
    /// The name of the site's session cookie, if a site has one of its own.
    package var sessionCookie: String?
    /// The name of the Firebase app, if it has one.
    package var appName: String?
    package static let usualAppName = "[DEFAULT]"
    /// Whether the page reads IndexedDB instead of the local storage.
    package var usesIndexedDB = false

    package init(origin: URLParts, command: [String]) {
        (self.origin, self.command) = (origin, command)
    }
}

/// What a browser keeps of a session, for the pages of one origin.
package struct BrowserState: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package let name: String
        package let value: Secret

        package init(_ name: String, _ value: Secret) {
            (self.name, self.value) = (name, value)
        }
    }

    package var cookies: [Cookie] = []
    package var localStorage: [Entry] = []
    /// Databases with the entries of `localStorage`, in the form of Playwright's `indexedDB`; empty if no page reads them.
    package var indexedDB: [JSONValue] = []

    package init(cookies: [Cookie] = [], localStorage: [Entry] = [], indexedDB: [JSONValue] = []) {
        (self.cookies, self.localStorage, self.indexedDB) = (cookies, localStorage, indexedDB)
    }
}
