import AuthClient
import AuthModel
import CommandLineKit
import Platform
import Transport

/// The time limits, CA certificates and proxy from options and environment.
extension Context {
    func networkSettings() throws(AuthError) -> NetworkSettings {
        var settings = NetworkSettings.standard
        if let limit = try timeLimit() { settings.timeLimit = limit }
        if let limit = globals.connectLimit { settings.connectLimit = limit }
        settings.authorities = try authorities()
        if settings.authorities == nil, !world.alwaysTrustsSystem {
            // As in curl.
            settings.authorities = environment["SSL_CERT_FILE"]
            settings.authorityFolder = environment["SSL_CERT_DIR"]
        }
        settings.proxy = try proxy()
        // Lowercase variables take precedence, as in curl.
        settings.hostsWithoutProxy = environment["no_proxy"] ?? environment["NO_PROXY"]
        if let deadline { settings.timeLimit = max(.zero, deadline - world.uptime()) }
        return settings
    }

    private func authorities() throws(AuthError) -> String? {
        let given: [(source: String, path: String?)] = [
            ("--ca-cert", globals.authorities), ("AUTHCTL_CA_CERT", environment["AUTHCTL_CA_CERT"]),
        ]
        let first =
            given.first { $0.path != nil }
            // `try?`: incomplete settings name no file.
            ?? ("the setting caCert", (try? settings())?.serverSettings[BackendSetting.authorities.key])
        guard let path = first.path else { return nil }
        guard !world.alwaysTrustsSystem else {
            let source = first.source
            throw AuthError(
                .unsupported,
                "\(source) is not supported on macOS: libcurl there always trusts the keychain, too",
                nextSteps: [
                    NextStep(
                        "add the authority to the keychain: security add-trusted-cert -p ssl \(path.shellQuoted)"),
                    NextStep(source == "AUTHCTL_CA_CERT" ? "then unset AUTHCTL_CA_CERT" : "then remove \(source)"),
                ])
        }
        return path
    }

    /// The time limit from `--timeout` or AUTHCTL_TIMEOUT; `nil` if neither is set.
    func timeLimit() throws(AuthError) -> Duration? {
        if let limit = globals.timeLimit { return limit }
        let variable = "AUTHCTL_TIMEOUT"
        guard let text = environment[variable] else { return nil }
        do throws(ArgumentValueError) {
            return try GlobalOptions.seconds(text)
        } catch {
            throw AuthError(
                .usage, "\(error.message) (from \(variable))", next: "set \(variable) to a number of seconds such as 30"
            )
        }
    }

    private func proxy() throws(AuthError) -> String? {
        guard let given = globals.proxy else {
            let url = environment["https_proxy"] ?? environment["HTTPS_PROXY"]
            if let url, let end = url.lastIndex(of: "@"), case let place = String(url[..<end]),
                let password = (place.cut(at: "://")?.after ?? place).split(separator: ":", maxSplits: 1).last
            {
                world.masker.register(String(password))
                world.masker.register(String(decoding: password.percentDecoded(plusIsSpace: false), as: UTF8.self))
            }
            return url
        }
        guard !given.contains("@") else {
            throw AuthError(
                .usage,
                "the proxy URL (option '--proxy') contains credentials, which other users of this machine can see",
                next: "set HTTPS_PROXY instead")
        }
        return given.isEmpty ? nil : given
    }
}
