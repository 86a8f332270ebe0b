import Expectations
import Foundation
import Platform
import Synchronization

@testable import AccountServer

/// The content of the database files, and the random session tokens and object ids.
@Suite struct StoredDataTests {
    @Test func `the database files contain no plaintext session tokens or passwords`() throws {
        let server = try TestServer()
        let password = "canary-password-1"
        let tokens = [
            try server.signUp("canary-user", password: password).token,
            try server.logIn("canary-user", password: password).token,
        ]
        let digits = try tokens.map { try String(#require($0).dropFirst(2)) }
        var canaries = [Data(password.utf8)]
        for digits in digits {
            // Search for each half of a token, and for the bytes that the token's hexadecimal digits encode.
            canaries += [Data(digits.utf8.prefix(16)), Data(digits.utf8.suffix(16))]
            canaries.append(
                Data(stride(from: 0, to: 32, by: 2).map { UInt8(digits.dropFirst($0).prefix(2), radix: 16) ?? 0 }))
        }
        var wasSeen = false
        for name in try FileManager.default.contentsOfDirectory(atPath: server.folder.path) {
            let bytes = try server.folder.bytes(name)
            wasSeen = wasSeen || bytes.range(of: Data("canary-user".utf8)) != nil
            for canary in canaries { expect(bytes.range(of: canary), nil, "\(name) holds a secret") }
        }
        #expect(wasSeen, "otherwise the scan proves nothing")
    }

    @Test func `ten thousand generated session tokens and object ids are unique`() {
        let tokens = Set((0..<10_000).map { _ in SessionToken(from: .system).text })
        expect(tokens.count, 10_000)
        #expect(tokens.allSatisfy { $0.utf8.count == 34 && $0.hasPrefix("r:") })
        let ids = Set((0..<10_000).map { _ in ObjectID.make(from: .system) })
        expect(ids.count, 10_000)
        expect(Set(ids.joined()).count, 62)
    }

    @Test func `random bytes that would bias an object id are discarded`() {
        let source = Mutex(
            [UInt8](repeating: 255, count: 16) + [0, 61, 62, 247, 248, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
        let randomness = Randomness { count in
            source.withLock { rest in
                defer { rest.removeFirst(min(count, rest.count)) }
                return Array(rest.prefix(count))
            }
        }
        expect(ObjectID.make(from: randomness), "A9A9BCDEFG")
    }
}
