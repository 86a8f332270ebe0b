import CommandTestSupport
import Foundation
import LibC
import Testing

@testable import Platform

@Suite struct TemporaryFolderTests {
    private let parent: TestFolder

    init() throws {
        parent = try TestFolder()
    }

    @Test func `a temporary folder is private and is deleted with its content`() throws {
        let folder = try TemporaryFolder(in: parent.path, FolderRules())
        let name = try #require(try parent.names().first)
        #expect(try parent.mode(name) == "700")
        let path = try folder.makeSubfolder("config")
        #expect(path == "\(parent.path)/\(name)/config")
        try parent.makeFolder("\(name)/config/locked")
        try parent.write("\(name)/config/locked/file", "x")
        try parent.write("kept", "x")
        try parent.link("\(name)/config/link", to: parent.path("kept"))
        try parent.setMode("\(name)/config/locked", 0o500)
        folder.delete()
        #expect(try parent.names() == ["kept"])
    }

    @Test func `the leftover of a killed process is deleted, and the folder of a running one is kept`() throws {
        try parent.makeFolder("authctl-serve-0f3a")
        try parent.write("authctl-serve-0f3a/file", "x")
        try parent.makeFolder("authctl-other")
        try parent.write("authctl-serve-file", "x")
        let first = try TemporaryFolder(in: parent.path, FolderRules())
        let second = try TemporaryFolder(in: parent.path, FolderRules())
        #expect(first.path != second.path)
        #expect(try parent.names().count == 4)
        #expect(try !parent.names().contains("authctl-serve-0f3a"))
        first.delete()
        second.delete()
    }

    @Test func `a parent that other users can change is rejected`() throws {
        try parent.makeFolder("shared", mode: 0o777)
        let error = #expect(throws: FileError.self) {
            let folder = try TemporaryFolder(in: parent.path("shared"), FolderRules())
            folder.delete()
        }
        #expect(error?.kind == .unsafe)
        #expect(try parent.names(in: "shared").isEmpty)
    }

    @Test func `a parent that does not exist is an error`() throws {
        let error = #expect(throws: FileError.self) {
            let folder = try TemporaryFolder(in: parent.path("nowhere"), FolderRules())
            folder.delete()
        }
        #expect(error?.kind == .notWritten)
    }
}
