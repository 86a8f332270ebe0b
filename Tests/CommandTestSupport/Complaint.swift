#if canImport(Testing)
    import Testing
#endif

/// Fails the test that runs now.
///
/// The static standard library comes without Testing, and this target is built with it, too: there is no test to fail
/// there.
func complain(_ text: String) {
    #if canImport(Testing)
        Issue.record("\(text)")
    #else
        fatalError(text)
    #endif
}
