package import AuthModel
import JSON
package import Platform
import Transport

/// A folder with the browser state of each account: one file, such as `ada%20l@example.org.json`.
package struct StorageStates: Sendable {
    /// The file of the tokens if the user names none: by it, another run knows which states are good.
    package static let tokensName = ".tokens.ndjson"

    private let folder: PrivateFolder
    /// As the user named it.
    private let path: String
    private let page: BrowserPage
    /// See `AccountSource.namesDifferingByCase`.
    private let twins: Set<String>
    private let client: Client

    /// - Throws: `AuthError` `unsupported` if the pages of the backend keep no session, and the user names no entry.
    package init(
        _ folder: PrivateFolder, named path: String, _ page: BrowserPage, twins: Set<String>, _ client: Client
    ) throws(AuthError) {
        (self.folder, self.path, self.page, self.twins, self.client) = (folder, path, page, twins, client)
        guard page.storageNames.isEmpty, !(try client.backends.connect() is any BrowserSessionStoring) else { return }
        throw AuthError(
            .unsupported, "backend '\(client.settings.backendName)' does not decide where a page keeps the token",
            next: "name the entry of the local storage with --local-storage NAME")
    }

    /// The path of an account's file.
    ///
    /// Characters other than letters, digits and `._@+-` are percent-encoded, so the name is never a path. Names that
    /// differ only by case, which some file systems take for one, and long names get the id.
    func path(of row: AccountRow, id: String?) -> String { "\(path)/\(fileName(row, id))" }

    private func fileName(_ row: AccountRow, _ id: String?) -> String {
        let name = row.name.fileName
        let isLong = name.utf8.count > 120
        guard isLong || twins.contains(row.name.lowercased()) else { return "\(name).json" }
        // Without an id, the number of the row tells them apart.
        return "\(isLong ? "" : name)~\((id ?? String(row.number)).fileName).json"
    }

    /// Writes the state of a new session through a temporary file, with mode 0600, and never through a link.
    func write(_ session: Session, of user: User, _ row: AccountRow, _ backend: any Backend) throws(AuthError) {
        let state = try converting { () throws(BackendError) in
            try (backend as? any BrowserSessionStoring)?.browserState(of: session, user, for: page)
        }
        let document = try client.document(of: state ?? nil, session, for: page)
        try mappingFileErrors { () throws(FileError) in
            try FileLocation(folder: folder, name: fileName(row, user.id))
                .replace(with: document.bytes + [UInt8(ascii: "\n")])
        }
    }

    /// Whether the file has the token of a line of the tokens file, for this page.
    func has(_ line: JSONObject, of row: AccountRow) -> Bool {
        // `try?`: a file that is missing, or cannot be read, is written again.
        guard let bytes = try? folder.read(fileName(row, line["id"]?.string), limit: 1 << 20),
            let document = try? JSONValue(parsing: bytes), let token = line["token"]?.string
        else { return false }
        let (origins, cookies) = (document["origins"]?.array ?? [], document["cookies"]?.array ?? [])
        let entries = origins.flatMap { $0["localStorage"]?.array ?? [] }.compactMap { $0["name"]?.string }
        let hasToken =
            Cookies(Secret(token)).map { all in
                all.all.allSatisfy { pair in
                    cookies.contains { $0["name"]?.string == pair.name && $0["value"]?.string == pair.value }
                }
            } ?? document.text.holds(token)
        // The names of Firebase's entries end with that of the app, in either storage.
        let app = ":\(page.appName ?? BrowserPage.usualAppName)\""
        return hasToken && page.storageNames.allSatisfy(entries.contains)
            && (page.sessionCookie.map { name in cookies.contains { $0["name"]?.string == name } } ?? true)
            && (!document.text.holds("\"firebase:authUser:") || document.text.holds(app))
            && origins.allSatisfy { $0["origin"]?.string == page.origin.origin }
            && cookies.allSatisfy { Cookie($0)?.isSent(to: page.origin.host) == true }
            && page.usesIndexedDB == origins.contains { $0["indexedDB"] != nil }
    }
}

extension String {
    /// The text with every byte percent-encoded that is not a letter, a digit or one of `._@+-`.
    fileprivate var fileName: String {
        percentEncoded.replacing("%40", with: "@").replacing("%2B", with: "+").replacing("~", with: "%7E")
    }
}
