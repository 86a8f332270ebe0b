// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The system's C libraries: static archives on Linux, because each shared library costs every start a
/// million instructions; on macOS plain names, found by the linker.
func systemLibraries(linux: [String], macOS: [String]) -> [LinkerSetting] {
    linux.map { .linkedLibrary($0, .when(platforms: [.linux])) }
        + macOS.map { .linkedLibrary($0, .when(platforms: [.macOS])) }
}

/// For a start in half the time: no shared library but libc and libm, relocations packed, and no symbols, above all none
/// for others: what is loaded later, as libcurl is, would look all of its own up among them. Nobody unwinds a stack here,
/// so there is nothing to find a way back by. The build works without it.
let fastStart: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "-s", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--exclude-libs=ALL",
            "-Xclang-linker", "-static-libgcc",
            "-Xlinker", "--remap-inputs=*/libstdc++.so=/dev/null", "-Xlinker", "-l:libstdc++.a",
            "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-eh-frame-hdr",
            "-Xlinker", "-T", "-Xlinker", "\(Context.packageDirectory)/Sources/authctl/unwinding.ld",
        ], .when(platforms: [.linux], configuration: .release))
]

/// What waits for a network or a disk most of its time: a smaller program is worth more there than a faster one.
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], linker: [LinkerSetting] = [],
    settings: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + settings, linkerSettings: linker)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "authctl",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "authctl", targets: ["authctl"])],
    targets: [
        .executableTarget(
            name: "authctl",
            dependencies: [
                "AccountListener", "AccountServer", "AuthBackends", "AuthClient", "AuthModel", "AuthctlCommands",
                "CArguments", "CommandLineKit", "CurlTransport", "Platform", "Transport",
            ],
            exclude: ["unwinding.ld"], swiftSettings: strict, linkerSettings: fastStart),
        library(
            "AuthctlCommands",
            ["AuthBackends", "AuthClient", "AuthModel", "CommandLineKit", "JSON", "Platform", "Transport"]),
        library("CommandLineKit"),
        library("AuthClient", ["AuthModel", "JSON", "Platform"]),
        library("AuthBackends", ["AuthModel", "JSON", "Platform", "Transport"], settings: small),
        library("AuthModel", ["JSON", "Platform"]),
        library("Transport", ["JSON", "Platform"], settings: small),
        library("CurlTransport", ["CLibcurl", "Platform", "Transport"], settings: small),
        .target(name: "CLibcurl"),
        .target(name: "CArguments"),
        library(
            "AccountServer", ["CSodium", "JSON", "Platform", "SQLite", "Transport"],
            linker: systemLibraries(linux: [":libsodium.a"], macOS: ["sodium"]), settings: small),
        // The order matters to the linker: what extra needs is in core.
        library(
            "AccountListener", ["AccountServer", "CLibevent", "Platform", "Transport"],
            linker: systemLibraries(
                linux: [":libevent_extra.a", ":libevent_core.a"], macOS: ["event_extra", "event_core"]),
            settings: small),
        library("SQLite", ["CSQLite"], linker: systemLibraries(linux: [":libsqlite3.a", "m"], macOS: ["sqlite3"])),
        library("Platform"),
        library("JSON"),
        .systemLibrary(name: "CLibevent"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CSodium"),
        .target(
            name: "CommandTestSupport",
            dependencies: ["AuthClient", "AuthModel", "AuthctlCommands", "JSON", "Platform", "Transport"],
            path: "Tests/CommandTestSupport", swiftSettings: strict),
        tests("AuthModelTests", ["AuthModel", "Platform"]),
        tests("AuthClientTests", ["AuthClient", "AuthModel", "CommandTestSupport", "JSON", "Platform"]),
        tests(
            "AuthBackendsTests",
            ["AuthBackends", "AuthModel", "CommandTestSupport", "JSON", "Platform", "Transport"]),
        tests("PlatformTests", ["CommandTestSupport", "Platform"]),
        tests("TransportTests", ["CommandTestSupport", "JSON", "Platform", "Transport"]),
        tests(
            "AuthctlCommandsTests",
            [
                "AuthBackends", "AuthClient", "AuthModel", "AuthctlCommands", "CommandLineKit", "CommandTestSupport",
                "JSON", "Platform", "Transport",
            ]),
        .target(name: "CPseudoTerminal", path: "Tests/CPseudoTerminal"),
        .target(
            name: "TestSupport", dependencies: ["CPseudoTerminal"], path: "Tests/TestSupport", swiftSettings: strict),
        tests("EndToEndTests", ["AuthClient", "AuthModel", "Platform", "SQLite", "TestSupport", "authctl"]),
        tests("CommandLineKitTests", ["CommandLineKit", "TestSupport"]),
        tests("CurlTransportTests", ["CurlTransport", "Platform", "TestSupport", "Transport"]),
        tests("AccountListenerTests", ["AccountListener"]),
        tests(
            "FuzzTests",
            [
                "AccountServer", "AuthBackends", "AuthClient", "AuthModel", "AuthctlCommands", "CommandLineKit", "JSON",
                "Platform", "Transport",
            ]),
        tests("JSONTests", ["JSON"]),
        tests("SQLiteTests", ["CSQLite", "SQLite"]),
        tests("AccountServerTests", ["AccountServer", "JSON", "Platform", "SQLite", "Transport"]),
    ],
    swiftLanguageModes: [.v6]
)
