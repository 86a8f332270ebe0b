import TestSupport

extension Finished {
    /// Compares the result with the current test's section of `Tests/Messages/process/FILE.txt`.
    func expectTranscript(
        in file: String, _ situation: String? = nil, of world: Sandbox,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        MessageFile("process/" + file).expect(transcript(in: world), situation, sourceLocation: sourceLocation)
    }
}
