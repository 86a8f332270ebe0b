import CommandTestSupport
import Foundation
import LibC

@testable import Platform

@Suite struct TemporaryFolderTests {
    private let parent = TestFolder()

    @Test func `a temporary folder has mode 0700 and is deleted with its content`() throws {
        let folder = try TemporaryFolder(in: parent.path, FolderRules())
        let name = try #require(try parent.names().first)
        try expect(parent.mode(name), "700")
        let path = try folder.makeSubfolder("config")
        expect(path, "\(parent.path)/\(name)/config")
        try parent.makeFolder("\(name)/config/locked")
        try parent.write("\(name)/config/locked/file", "x")
        try parent.write("kept", "x")
        try parent.link("\(name)/config/link", to: parent.path("kept"))
        try parent.setMode("\(name)/config/locked", 0o500)
        folder.delete()
        try expect(parent.names(), ["kept"])
    }

    @Test func `creating a temporary folder deletes stale ones left by killed processes, but none in use`() throws {
        let folder = try TemporaryFolder(in: parent.path, FolderRules())
        let name = try #require(try parent.names().first)
        folder.delete()
        try parent.makeFolder(name)
        try parent.write("\(name)/file", "x")
        let first = try TemporaryFolder(in: parent.path, FolderRules())
        let second = try TemporaryFolder(in: parent.path, FolderRules())
        #expect(first.path != second.path)
        try expect(parent.names().count, 2)
        #expect(try !parent.names().contains(name))
        first.delete()
        second.delete()
    }

    @Test func `creating a temporary folder deletes neither files nor folders with names of another form`() throws {
        let name = "authctl-serve-0123456789abcdef"
        for own in ["authctl-serve-results", "authctl-serve-0f3a", "\(name)0", name.uppercased()] {
            try parent.makeFolder(own)
            try parent.write("\(own)/file", "x")
        }
        try parent.write(name, "x")
        let before = Set(try parent.names())
        try TemporaryFolder(in: parent.path, FolderRules()).delete()
        expect(Set(try parent.names()), before)
    }

    @Test func `creating a temporary folder in a missing parent folder is an error`() throws {
        let error = #expect(throws: FileError.self) {
            let folder = try TemporaryFolder(in: parent.path("nowhere"), FolderRules())
            folder.delete()
        }
        expect(error?.kind, .notWritten)
    }
}
