import LibC

/// A file, given by its folder and name.
package struct FileLocation: Sendable {
    package let folder: PrivateFolder
    package let name: String

    package var path: String { "\(folder.path)/\(name)" }

    package init(folder: PrivateFolder, name: String) {
        self.folder = folder
        self.name = name
    }
}

extension FileLocation {
    /// A file named by the user; a relative path starts in the working folder.
    package init(path: String, _ rules: FolderRules = FolderRules()) throws(FileError) {
        let folder = path.hasPrefix("/") ? path.parentPath ?? "/" : try workingFolder(path)
        let name = path.lastComponent
        guard !name.isEmpty, name != ".", name != ".." else {
            throw FileError(.unreadable, "'\(path)' does not name a file")
        }
        self.init(folder: PrivateFolder(path: folder, rules), name: name)
    }
}

extension FileLocation {
    /// Whether both paths name one file, which need not exist; also by links.
    package func isSameFile(as other: FileLocation) -> Bool {
        if path == other.path { return true }
        if let identity = FileIdentity(path: path) { return identity == FileIdentity(path: other.path) }
        guard name == other.name, let folder = FileIdentity(path: folder.path) else { return false }
        return folder == FileIdentity(path: other.folder.path)
    }
}

private func workingFolder(_ path: String) throws(FileError) -> String {
    guard let current = getcwd(nil, 0) else { throw .reading(".", .current) }
    defer { free(current) }
    let whole = "\(try exactText(current, of: "."))/\(path)"
    return whole.parentPath ?? "/"
}

/// A path from the system. Repairing invalid UTF-8 would name another file, so such a path is rejected.
func exactText(_ text: UnsafePointer<CChar>, of path: String) throws(FileError) -> String {
    guard let exact = String(validatingCString: text) else { throw .reading(path, Errno(EILSEQ)) }
    return exact
}

extension PrivateFolder {
    /// The target of a file that is a link of this user, as dotfile managers create them; otherwise the file itself.
    ///
    /// - Throws: `FileError` `unsafe` for another user's link or a broken link.
    package func followingLink(_ name: String) throws(FileError) -> FileLocation {
        let path = "\(path)/\(name)"
        var status = stat()
        guard lstat(path, &status) == 0, status.isLink else { return FileLocation(folder: self, name: name) }
        try PathTrust(rules: rules, ownFolders: 0).checkLinks(on: path)
        guard let resolved = realpath(path, nil) else { throw .reading(path, .current) }
        defer { free(resolved) }
        return try FileLocation(path: try exactText(resolved, of: path), rules)
    }
}

/// Device and inode of a file: a replaced file at the same path has another identity.
package struct FileIdentity: Sendable, Equatable {
    private let device: dev_t
    private let number: ino_t

    /// `nil` if the file does not exist or `stat` fails.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        number = status.st_ino
    }
}

extension String {
    /// The name at the end of a path; empty for the root.
    var lastComponent: String {
        utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    }

    /// The path of the parent folder; `nil` at the root.
    package var parentPath: String? {
        let slash = UInt8(ascii: "/")
        var path = utf8[...]
        while path.last == slash { path.removeLast() }
        guard let cut = path.lastIndex(of: slash) else { return nil }
        path = path[..<cut]
        while path.last == slash { path.removeLast() }
        return path.isEmpty ? "/" : String(Substring(path))
    }
}
