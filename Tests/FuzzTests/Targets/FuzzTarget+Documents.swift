import AuthModel
import JSON
import Platform

@testable import AuthClient

extension FuzzTarget {
    static let json = FuzzTarget(
        name: "json",
        seeds: {
            [
                #"{"v":1,"a":[1,-2,0.5,1e3,true,false,null,{}],"é":"\u00e9\ud83d\ude00\n\"\\\/"}"#, "[[[[]]]]", " 0 ",
                #""\u001b[31m""#, "-9223372036854775809", "1e-400", #"{"a":1,"a":2}"#,
                #"{"next":"?p=2","results":[1e400,"\ud83d",{"a":[ ]}]}"#,
            ].map { Array($0.utf8) }
        },
        check: { bytes in
            // `try?`: most mutated documents are not JSON.
            let list = try? JSONList(parsing: bytes)
            for element in list?.elements ?? [] {
                try FuzzFault.unless(
                    bytes.indices.contains(element.lowerBound) && element.upperBound <= bytes.count,
                    "an element outside")
            }
            do {
                let value = try JSONValue(parsing: bytes)
                try Invariants.check(value)
                try FuzzFault.unless(list != nil, "JSONList rejects a valid document")
                // `try?`: a compact document that cannot be parsed gives `nil`, which differs from the value.
                let compact = try? JSONValue(parsing: JSONLayout.compact(bytes))
                try FuzzFault.unless(compact == value, "another value without white space")
            } catch let error as JSONSyntaxError {
                try FuzzFault.unless((0...bytes.count).contains(error.offset), "a fault at byte \(error.offset)")
                try Invariants.checkShown(error.description, atMost: 100)
            }
        })

    static let sessionFile = FuzzTarget(
        name: "session-file",
        seeds: { [SessionFile.bytes(of: .fuzzed)] },
        check: { bytes in
            do {
                let session = try SessionFile.session(from: bytes, profile: StoredSession.fuzzed.profile)
                // `try?`: a session that cannot be read again gives `nil`, which differs from the session.
                let again = try? SessionFile.session(from: SessionFile.bytes(of: session), profile: session.profile)
                try FuzzFault.unless(again == session, "another session when it is read again")
            } catch SessionFile.Fault.damaged(let offset) {
                try FuzzFault.unless((0...bytes.count).contains(offset), "damage at byte \(offset)")
            } catch is SessionFile.Fault {
                // The session parser rejects most mutations.
            }
        })

    static let checkTable = FuzzTarget(
        name: "check-table",
        seeds: {
            [
                "request me bob # x\nGET '/a b?c={n}' yes 404\nPUT /a/{me}\\ \"b\" @f items=1 -\n",
                "\u{FEFF}request anyone\r\nGET /{ no\r\n",
            ].map { Array($0.utf8) }
        },
        check: { bytes in
            // `try?`: most mutated tables are invalid.
            let table = try? CheckTable(bytes, name: "'t'", variables: ["n": "../x"], readBody: { _ in [] })
            for row in table?.rows ?? [] {
                try FuzzFault.unless(row.path.hasPrefix("/") && !row.path.holds("/../"), "path \(row.path)")
                try FuzzFault.unless(row.expected.count == table?.users.count, "\(row.expected.count) outcomes")
            }
        })

    static let configuration = FuzzTarget(
        name: "configuration",
        seeds: {
            [
                #"{"v": 1, "current": "ci", "profiles": {"ci": {"backend": "parse", "server": "https://a.example", "#
                    + #""appId": "a", "clientKey": "k", "allowHttp": true, "x": [1]}, "b": {}}, "other": {"a": null}}"#,
                #"{"v": 2}"#, #"{"v": 1, "profiles": {}}"#,
            ].map { Array($0.utf8) }
        },
        check: { bytes in
            do {
                let configuration = try Configuration(document: bytes)
                // `try?`: a configuration that cannot be read again gives `nil`, which differs from the configuration.
                let again = try? Configuration(document: configuration.document)
                try FuzzFault.unless(again == configuration, "another configuration when it is read again")
            } catch ConfigurationFault.broken(let offset, let description) {
                try FuzzFault.unless((0...bytes.count).contains(offset ?? 0), "a fault at byte \(offset ?? 0)")
                try FuzzFault.unless(!description.isEmpty, "nothing is said")
            } catch ConfigurationFault.newerVersion(let version) {
                try FuzzFault.unless(version > Configuration.version, "version \(version) is no newer one")
            }
        })
}

extension StoredSession {
    fileprivate static let fuzzed = StoredSession(
        profile: "default", connection: Connection(backend: "parse", server: "https://a.example", appID: "app"),
        session: Session(
            token: Secret(FuzzUser.token), refreshToken: Secret("r"), id: "1", createdAt: .whenFuzzed,
            expiresAt: Instant(seconds: 1_798_859_045)),
        user: User(
            id: "1", username: FuzzUser.login, emailVerified: true, createdAt: .whenFuzzed,
            identities: [Identity(provider: "facebook", id: nil)],
            fields: ["a": [1, JSONValue(0.5), nil, "é"]]),
        method: .password)
}
