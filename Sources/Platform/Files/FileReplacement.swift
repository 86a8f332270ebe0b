import LibC

/// A new content that is written a few lines at a time, and that replaces an empty file as a whole.
///
/// If it is never committed, the file does not change. A killed process leaves a temporary file in the folder.
package final class FileReplacement {
    /// Holds the lock of the file, so that no other process replaces it.
    private let old: AppendFile
    private let path: String
    private let content: AppendFile

    package init(of old: AppendFile) throws(FileError) {
        self.old = old
        path = "\(old.path.parentPath.map { $0 == "/" ? $0 : "\($0)/" } ?? "")\(temporaryName())"
        content = try AppendFile(path: path)
    }

    package func append(_ lines: [UInt8]) throws(FileError) { try content.append(lines) }

    /// Syncs the content and renames it to the path of the file. Afterwards, the object must not be used again.
    package func commit() throws(FileError) {
        try content.sync()
        guard let folder = try FileLocation(path: old.path, FolderRules(trusting: .all)).folder.open() else {
            throw .writing(old.path, .noSuchFile)
        }
        do throws(Errno) {
            try retryingInterrupts { rename(path, old.path) }
            try syncToDisk(folder.descriptor.number)
        } catch {
            throw .writing(old.path, error)
        }
    }

    deinit { unlink(path) }
}
