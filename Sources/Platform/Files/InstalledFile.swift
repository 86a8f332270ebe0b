import LibC

/// Finds a file of a package that pip installed in the environment of a program, or in the folder of `--target`.
///
/// - Parameters:
///   - pattern: a path below `site-packages`, with `*`: `pycurl.libs/libcurl*.so*`.
///   - program: the path of the program in its folder `bin`, without links; `nil` if it is unknown.
/// - Throws: `FileError` `unsafe` if another user may write to the file or to a folder on the way to it.
package func installedFile(_ pattern: String, beside program: String?) throws(FileError) -> String? {
    guard let prefix = program?.parentPath?.parentPath else { return nil }
    for pattern in ["lib*/python3*/site-packages/\(pattern)", "lib*/python3*/dist-packages/\(pattern)", pattern] {
        guard let path = firstPath("\(prefix.asPattern)/\(pattern)")?.resolvedLinks else { continue }
        var place = path
        for _ in 0...pattern.utf8.count(where: { $0 == UInt8(ascii: "/") }) + 1 {
            var status = stat()
            guard stat(place, &status) == 0 else { throw .reading(place, .current) }
            try FolderRules().requireTrust(inFolder: status, at: place)
            place = place.parentPath ?? "/"
        }
        return path
    }
    return nil
}

/// The first path that matches a pattern of `glob`, in alphabetical order.
private func firstPath(_ pattern: String) -> String? {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0, let first = found.gl_pathv?[0] else { return nil }
    return String(cString: first)
}

extension String {
    /// A pattern of `glob` that matches only this path.
    fileprivate var asPattern: String {
        reduce(into: "") { $0 += ("*?[\\".contains($1) ? "\\" : "") + String($1) }
    }
}
