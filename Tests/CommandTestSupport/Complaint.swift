#if canImport(Testing)
    import Testing
#endif

/// Fails the running test.
///
/// A build with the static standard library has no Testing module and runs no tests; there, a call ends the process.
func complain(_ text: String) {
    #if canImport(Testing)
        Issue.record("\(text)")
    #else
        fatalError(text)
    #endif
}
