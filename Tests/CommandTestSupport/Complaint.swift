#if canImport(Testing)
    import Testing
#endif

/// Fails the running test.
///
/// Ends the process in a build without the Testing module, such as a build with the static standard library.
func complain(_ text: String) {
    #if canImport(Testing)
        Issue.record("\(text)")
    #else
        fatalError(text)
    #endif
}
