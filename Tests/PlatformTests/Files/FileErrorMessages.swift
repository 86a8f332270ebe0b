import CommandTestSupport
import Foundation
import Platform

extension FileError {
    /// Compares the message and the hints with the running test's section of
    /// `Tests/Messages/storage/private-files.txt`.
    ///
    /// In the section, `/folder` stands for the path of the test folder, and `process 4711` for this process.
    func expectMessage(
        _ situation: String? = nil, in folder: TestFolder, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = ["error: \(message)"] + hints.map { "hint: \($0)" }
        let text = lines.joined(separator: "\n").replacingOccurrences(of: folder.path, with: "/folder")
            .replacingOccurrences(of: "process \(getpid())", with: "process 4711")
        MessageFile("storage/private-files").expect(text, situation, sourceLocation: sourceLocation)
    }
}
