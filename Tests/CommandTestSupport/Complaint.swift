#if canImport(Testing)
    import Testing
#endif

/// Fails the running test.
///
/// In the build with the static standard library, which lacks Testing and runs no tests, a call ends the process.
func complain(_ text: String) {
    #if canImport(Testing)
        Issue.record("\(text)")
    #else
        fatalError(text)
    #endif
}
