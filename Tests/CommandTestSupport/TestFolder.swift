#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder with mode 0700. It is deleted when the last reference is released.
package final class TestFolder: Sendable {
    package let path: String

    package init() {
        path = FileManager.default.temporaryDirectory.path + "/authctl-test-" + UUID().uuidString
        // `try!`: without a temporary folder, no test can run.
        try! FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        try setMode(name, mode)
    }

    package func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path(name))), as: UTF8.self)
    }

    package func makeFolder(_ name: String, mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
        try setMode(name, mode)
    }

    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    package func setMode(_ name: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    /// The permissions in octal digits: "600".
    package func mode(_ name: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return String((attributes[.posixPermissions] as? Int) ?? -1, radix: 8)
    }

    /// The sorted names of the files and folders in a subfolder; without a name, in this folder.
    package func names(in name: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
    }
}
