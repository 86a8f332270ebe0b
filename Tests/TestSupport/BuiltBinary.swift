import Foundation

/// The program under test, built together with the tests.
package enum BuiltBinary {
    package static let path: String = {
        #if os(Linux)
            let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        #else
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
            let tests = bundle?.bundlePath ?? ""
        #endif
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("authctl").path
    }()
}
