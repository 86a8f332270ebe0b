import LibC

/// An exclusive advisory lock (`flock`). The kernel releases the lock when the process ends, even if it is killed.
///
/// The lock file is never deleted. It contains only the process id of the last holder. Only the names of lock files
/// begin with `.lock`.
package struct FileLock: ~Copyable {
    private let file: FileDescriptor

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - name: the name of the lock file.
    ///   - folder: the folder of the lock file, which satisfies the trust rule of `FolderRules`.
    ///   - subject: the path of the locked object, for error messages.
    /// - Throws: `FileError` `locked` if another process does not release the lock within `patience`, or if the file
    ///   system does not support locks; `unsafe` if the lock file is a link or another user can change it; `notWritten`
    ///   or `noSpace` if the lock file cannot be opened or created.
    static func acquire(
        _ name: String, in folder: borrowing OpenFolder, subject: String, patience: Duration
    ) throws(FileError) -> FileLock {
        let file = try open(name, in: folder)
        try wait(for: file.number, path: subject, folder.rules, patience: patience)
        // The process id is for the error message of a waiting process. It is padded to a fixed length, because
        // truncating the file would take longer than the rest of this function.
        let number = "\(getpid())"
        let note = Array("\(number)\(String(repeating: " ", count: max(0, 19 - number.utf8.count)))\n".utf8)
        pwrite(file.number, note, note.count, 0)
        return FileLock(file: file)
    }

    private init(file: consuming FileDescriptor) {
        self.file = file
    }

    deinit { Self.release(file.number) }

    /// Releases the lock explicitly, because a child process keeps the file open until it calls exec.
    static func release(_ file: Int32) { _ = flock(file, LOCK_UN) }

    private static func open(
        _ name: String, in folder: borrowing OpenFolder
    ) throws(FileError) -> FileDescriptor {
        let parent = folder.descriptor.number
        let path = "\(folder.path)/\(name)"
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        var number = openUninterrupted(name, in: parent, flags)
        if number < 0, Errno.current == .noSuchFile {
            number = openUninterrupted(name, in: parent, flags | O_CREAT | O_EXCL)
        }
        // Another process created the file between the two calls of `openUninterrupted`.
        if number < 0, Errno.current == .exists {
            number = openUninterrupted(name, in: parent, flags)
        }
        guard number >= 0 else {
            let failure = Errno.current
            throw failure.code == ELOOP ? .notPlain(path) : folder.rules.unusable(.writing(path, failure), failure)
        }
        let file = FileDescriptor(number)
        try folder.rules.requireTrust(inFile: try file.status(at: path), at: path)
        return file
    }

    static func wait(for file: Int32, path: String, _ rules: FolderRules = FolderRules(), patience: Duration)
        throws(FileError)
    {
        let end = monotonicNow() + patience
        var pause: UInt32 = 500
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let failure = Errno.current
            guard failure.code == EWOULDBLOCK || failure.code == EINTR else {
                // The file system has no locks (ENOLCK, EOPNOTSUPP).
                throw FileError(.locked, "cannot lock '\(path)': \(failure.description)", hint: rules.remedy())
            }
            guard monotonicNow() < end else { throw held(file, path) }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
    }

    private static func held(_ file: Int32, _ path: String) -> FileError {
        var note = [UInt8](repeating: 0, count: 20)
        let count = pread(file, &note, note.count, 0)
        let digits = note.prefix(max(0, count)).prefix { $0.isASCIIDigit }
        let holder = digits.isEmpty ? "another process" : "process \(String(decoding: digits, as: UTF8.self))"
        return FileError(.locked, "'\(path)' is locked by \(holder)", hint: "stop that process, then try again")
    }
}
