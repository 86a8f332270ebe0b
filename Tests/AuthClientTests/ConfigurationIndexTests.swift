import AuthModel
import CommandTestSupport
import Foundation
import JSON
import Platform
import Testing

@testable import AuthClient

/// One profile out of many, found without reading the others.
@Suite struct ConfigurationIndexTests {
    let folder: TestFolder
    let file: ConfigurationFile

    init() throws {
        folder = try TestFolder()
        file = ConfigurationFile(folder: PrivateFolder(path: folder.path("authctl"), home: nil))
    }

    private var configuration: String { folder.path("authctl/config.json") }
    private var index: String { folder.path("authctl/config.index") }

    private static func profile(_ number: Int) -> Profile {
        // Of different lengths, so that halving meets the middle of lines.
        let padding = String(repeating: "x", count: number * 37 % 300)
        return Profile(
            name: "p\(number)\(number.isMultiple(of: 3) ? ".a" : "")",
            settings: [
                "backend": "parse", "server": .string("https://a.example/\(padding)"), "appId": .string("\(number)"),
            ])
    }

    private func write(_ count: Int, current: String? = "p7", others: JSONObject = [:]) throws {
        _ = try file.update { configuration throws(AuthError) in
            configuration = Configuration(
                current: current, profiles: (0..<count).map(Self.profile), otherMembers: others)
        }
    }

    @Test(arguments: [100, 1001])
    func `every profile is found as reading all of them finds it, and no other`(count: Int) throws {
        try write(count)
        #expect(FileManager.default.fileExists(atPath: index))
        let all = try file.load()
        for name in all.profiles.map(\.name) {
            #expect(try file.load(only: name) == Configuration(current: "p7", profiles: [try #require(all[name])]))
        }
        for name in ["", "a", "p", "p1.b", "p999999", "zzz", "default"] {
            #expect(try file.load(only: name) == Configuration(current: "p7"))
        }
        #expect(try file.load(only: nil).profiles == [Self.profile(7)])
    }

    @Test func `few profiles need no index`() throws {
        try write(3, current: nil)
        #expect(!FileManager.default.fileExists(atPath: index))
        #expect(try file.load(only: "p1") == file.load())
    }

    enum Edit: CaseIterable {
        case lineAdded, otherOrder, spaceAdded, sameTextAgain

        func text(_ text: String) -> String {
            switch self {
            case .lineAdded: text.replacingOccurrences(of: "    \"p1\":", with: "    \"a\": {},\n    \"p1\":")
            case .otherOrder: text.replacingOccurrences(of: "    \"p1\":", with: "    \"zz\":")
            case .spaceAdded: text + " "
            case .sameTextAgain: text
            }
        }
    }

    @Test(arguments: Edit.allCases)
    func `a file that somebody changed is read whole`(edit: Edit) throws {
        try write(200)
        let text = try String(contentsOfFile: configuration, encoding: .utf8)
        try Data(edit.text(text).utf8).write(to: URL(fileURLWithPath: configuration))
        #expect(try file.load(only: "p50") == file.load())
        #expect(try file.load(only: "p50").profiles.count >= 200)
    }

    @Test func `a change through authctl is found, and the one in use`() throws {
        try write(200)
        _ = try file.update { configuration throws(AuthError) in
            configuration["p50"] = nil
            configuration.current = "p60.a"
        }
        #expect(try file.load(only: "p50").profiles == [])
        #expect(try file.load(only: nil) == Configuration(current: "p60.a", profiles: [Self.profile(60)]))
    }

    @Test(arguments: ["", "{}", "{\"v\":2}", "nonsense", #"{"v":1,"stamp":"x","start":0,"end":9}"#])
    func `an index that cannot be read or is not of this file is passed over`(text: String) throws {
        try write(200)
        try Data(text.utf8).write(to: URL(fileURLWithPath: index))
        #expect(try file.load(only: "p50") == file.load())
    }

    /// Else another profile than the chosen one would be used, or one that is there not be found.
    @Test func `an index with a wrong bit, whichever it is, or cut off is passed over`() throws {
        try write(200)
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: index)))
        #expect(ConfigurationIndex(whole)?.current == "p7")
        for position in whole.indices {
            #expect(ConfigurationIndex(Array(whole.prefix(position))) == nil, "cut at byte \(position)")
            for bit in 0..<8 {
                var damaged = whole
                damaged[position] ^= 1 << bit
                #expect(ConfigurationIndex(damaged) == nil, "bit \(bit) of byte \(position)")
            }
        }
    }

    @Test func `members of others with words like ours lead nowhere`() throws {
        let trap: JSONValue = .string("\n  \"profiles\": {\n    \"p5\": {\"backend\":\"local\"},\n")
        try write(200, others: ["note": trap, "deep": ["profiles": ["p5": ["backend": "local"]]]])
        let found = try file.load(only: "p5").profiles
        #expect(found == [Self.profile(5)])
    }

    @Test func `settings of the wrong kind are told as reading all of them tells it`() throws {
        try write(200)
        _ = try file.update { configuration throws(AuthError) in
            configuration["odd"] = Profile(name: "odd", settings: ["server": 5])
        }
        #expect(throws: (any Error).self) { try file.load(only: "odd") }
        #expect(throws: (any Error).self) { try file.load() }
    }

    @Test func `the index is private, and found through a link too`() throws {
        try write(200)
        let mode = try FileManager.default.attributesOfItem(atPath: index)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let elsewhere = folder.path("dotfiles.json")
        try FileManager.default.moveItem(atPath: configuration, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: configuration, withDestinationPath: elsewhere)
        try write(200)
        #expect(try file.load(only: "p50").profiles == [Self.profile(50)])
    }
}
