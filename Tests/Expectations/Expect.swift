#if canImport(Testing)
    @_exported public import Testing

    /// Fails the running test if the values differ, and prints both.
    ///
    /// In place of `#expect(actual == expected)`, which takes the compiler ten times as long as a call of a function.
    /// The tests contain thousands of them.
    package func expect<Value: Equatable>(
        _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> String = "", fileID: String = #fileID,
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) {
        guard actual != expected else { return }
        let values = "\(String(describingForTest: actual)) is not \(String(describingForTest: expected))"
        let comment = comment()
        Issue.record(
            Comment(rawValue: comment.isEmpty ? values : "\(values): \(comment)"),
            sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }
#endif
