/// Where an app's own configuration has the connection to its server: names of environment variables without the prefix
/// with which a bundler publishes them, or members of an object in JavaScript or JSON.
package struct AppNames: Sendable {
    package let server: [String]
    package let appID: [String]
    /// The first that an app has counts.
    package let clientKey: [String]
    /// The keys that no app may publish.
    package let secrets: [String]

    package init(server: [String] = [], appID: [String] = [], clientKey: [String] = [], secrets: [String] = []) {
        (self.server, self.appID, self.clientKey, self.secrets) = (server, appID, clientKey, secrets)
    }

    package var all: [String] { server + appID + clientKey + secrets }
}
