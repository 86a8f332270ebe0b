import AuthModel
import CommandTestSupport
import Foundation
import Platform

@testable import AuthClient

/// The browser states that `users login` writes.
@Suite struct StorageStatesTests {
    private static let origin = "http://localhost:3000"

    private static func rows(_ names: [String]) -> String {
        names.map { (["username": .string($0), "password": "correct horse"] as JSONValue).text + "\n" }.joined()
    }

    private func fixture(_ names: String...) throws -> BulkFixture {
        let fixture = try BulkFixture()
        for name in names { fixture.server.add(name, password: "correct horse") }
        try fixture.logIn(Self.rows(names), statesFor: Self.origin)
        return fixture
    }

    @Test func `each user has a file of mode 0600 with the token, whose name is no path`() throws {
        let names = ["ada", "../x y", "..", "a@b.c+d_e-f", "Zoë~%", String(repeating: "l", count: 121)]
        let fixture = try fixture("ada", "../x y", "..", "a@b.c+d_e-f", "Zoë~%", names[5])
        let files = ["ada", "..%2Fx%20y", "..", "a@b.c+d_e-f", "Zo%C3%AB%7E%25", "~id6"].map { "\($0).json" }
        try expect(fixture.folder.names(in: "states").sorted(), files.sorted())
        for (file, name) in zip(files, names) {
            try expect(fixture.folder.mode("states/\(file)"), "600")
            let state =
                #"{"cookies":[],"origins":[{"origin":"http://localhost:3000","#
                + #""localStorage":[{"name":"token","value":"token-\#(name)"}]}]}"#
            try expect(fixture.folder.read("states/\(file)"), "\(state)\n")
        }
    }

    @Test func `names that differ only by case get the id, in each run`() throws {
        let fixture = try fixture("Ada", "bob", "ada")
        let files = ["Ada~id1.json", "ada~id3.json", "bob.json"]
        try expect(fixture.folder.names(in: "states").sorted(), files)
        try fixture.logIn(Self.rows(["Ada", "bob", "ada"]), statesFor: Self.origin)
        expect(fixture.results.lines.suffix(3), ["1 skipped", "2 skipped", "3 skipped"])
        try expect(fixture.folder.names(in: "states").sorted(), files)
    }

    @Test(arguments: ["missing", "damaged", "of another session", "none", "of another origin"])
    func `a row is skipped only if its state has the token of the tokens file, for the origin`(fault: String) throws {
        let fixture = try fixture("ada", "bob")
        let old = try fixture.folder.read("states/ada.json")
        var origin = Self.origin
        switch fault {
        case "missing": try FileManager.default.removeItem(atPath: fixture.folder.path("states/ada.json"))
        case "damaged": try fixture.folder.write("states/ada.json", String(old.dropLast(9)))
        case "of another session":
            try fixture.folder.write("states/ada.json", old.replacing("token-ada", with: "older"))
        case "of another origin": origin = "http://localhost:4000"
        default: break
        }
        try fixture.logIn(Self.rows(["ada", "bob"]), statesFor: origin)
        let (isGood, isOther) = (fault == "none", fault == "of another origin")
        let expected = [isGood ? "1 skipped" : "1 logged-in", isOther ? "2 logged-in" : "2 skipped"]
        expect(fixture.results.lines.suffix(2), expected[...])
        try expect(fixture.folder.read("states/ada.json"), isOther ? old.replacing("3000", with: "4000") : old)
    }

    @Test func `a link in place of a file ends the run, and its target is not changed`() throws {
        let fixture = try fixture("ada")
        try fixture.folder.write("target", "x")
        try FileManager.default.removeItem(atPath: fixture.folder.path("states/ada.json"))
        try fixture.folder.link("states/ada.json", to: fixture.folder.path("target"))
        let error = try #require(throws: AuthError.self) {
            try fixture.logIn(Self.rows(["ada"]), statesFor: Self.origin)
        }
        expect(error.reason, .unsafe)
        try expect(fixture.folder.read("target"), "x")
    }
}
