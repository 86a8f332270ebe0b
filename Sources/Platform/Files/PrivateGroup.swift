import LibC

#if os(Linux)
    import CXattr
#endif

/// Groups that consist of one user. Many Linux systems create one for each user, and let it write to the user's files.
///
/// Read from `/etc/passwd` and `/etc/group`, because the C library's lookups would load name service libraries. Entries
/// from other sources, such as LDAP, do not count.
enum PrivateGroup {
    /// Whether the group is private to the user of this process. Always false outside Linux.
    static func isOfThisUser(_ group: gid_t) -> Bool {
        #if os(Linux)
            // `try?`: without these files, no group is known to be private.
            guard let users = try? readPlainFile(at: "/etc/passwd", limit: limit), users.count <= limit,
                let groups = try? readPlainFile(at: "/etc/group", limit: limit), groups.count <= limit
            else { return false }
            return isPrivate(group, of: geteuid(), users: users, groups: groups)
        #else
            return false
        #endif
    }

    /// Bytes; larger files have no private groups.
    private static let limit = 4 << 20

    /// Whether the group is the user's primary group, has the user's name, and has no other user or member.
    ///
    /// - Parameters:
    ///   - users: the content of `/etc/passwd`. A malformed line means that no group is private, because it may name
    ///     another user. So does a line that includes users of NIS (`+`).
    ///   - groups: the content of `/etc/group`, read alike.
    static func isPrivate(_ group: gid_t, of user: uid_t, users: [UInt8], groups: [UInt8]) -> Bool {
        guard let users = entries(users, fields: 7), let groups = entries(groups, fields: 4) else { return false }
        var names: [ArraySlice<UInt8>] = []
        for entry in users {
            guard let id = number(entry[2]), let primaryGroup = number(entry[3]) else { return false }
            // An entry with another user's id or another primary group is irrelevant.
            guard id == user || primaryGroup == group else { continue }
            guard id == user, primaryGroup == group else { return false }
            names.append(entry[0])
        }
        guard names.count == 1 else { return false }
        var count = 0
        for entry in groups {
            guard let id = number(entry[2]) else { return false }
            guard id == group else { continue }
            guard entry[0] == names[0], entry[3].isEmpty || entry[3] == names[0] else { return false }
            count += 1
        }
        return count == 1
    }

    /// The fields of each line; `nil` if a line is malformed. Empty lines and comments are skipped.
    private static func entries(_ text: [UInt8], fields count: Int) -> [[ArraySlice<UInt8>]]? {
        var entries: [[ArraySlice<UInt8>]] = []
        for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count == count, let first = fields[0].first, !"+-".utf8.contains(first) else { return nil }
            entries.append(fields)
        }
        return entries
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }
}

/// Whether an access control list gives further users rights. Its mask takes the place of the group's mode bits.
func hasAccessControlList(_ path: String) -> Bool {
    #if os(Linux)
        guard getxattr(path, "system.posix_acl_access", nil, 0) < 0 else { return true }
        return ![ENODATA, EOPNOTSUPP].contains(Errno.current.code)
    #else
        return false
    #endif
}
