import Foundation

// The entry points of the program that `Tests/fuzz` links. libFuzzer calls them; the tests do not.

/// The target that `AUTHCTL_FUZZ_TARGET` names.
private let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["AUTHCTL_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { fatalError("no target '\(name)'") }
    return target
}()

/// If `AUTHCTL_FUZZ_LIST` is set, prints the names of the targets and exits. If `AUTHCTL_FUZZ_SEEDS` names a folder,
/// writes the target's seeds to the folder and a dictionary next to the folder, and exits.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
    let environment = ProcessInfo.processInfo.environment
    if environment["AUTHCTL_FUZZ_LIST"] != nil {
        for target in FuzzTarget.all { print(target.name) }
        exit(0)
    }
    guard let folder = environment["AUTHCTL_FUZZ_SEEDS"] else { return 0 }
    do {
        for (index, seed) in try chosen.seeds().enumerated() {
            try Data(seed).write(to: URL(filePath: "\(folder)/\(index)"))
        }
        try Mutator.dictionary.write(toFile: "\(folder).words", atomically: false, encoding: .utf8)
    } catch {
        fatalError("cannot write seeds: \(error)")
    }
    exit(0)
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try chosen.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
