#if canImport(Testing)
    import Testing
#endif

/// Fails the running test.
///
/// This target is also built with the static standard library, which lacks Testing. No tests run in that build.
func complain(_ text: String) {
    #if canImport(Testing)
        Issue.record("\(text)")
    #else
        fatalError(text)
    #endif
}
