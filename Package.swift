// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Settings of the program's own targets, for its size. Without the implicit import, no call can link the regular
/// expression engine (1.4 MB), as the standard library's `contains` for strings does. With a section for each function,
/// the linker drops those that nothing calls.
let shipped: [SwiftSetting] =
    strict + [
        .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"]),
        .unsafeFlags(["-Xfrontend", "-function-sections"], .when(platforms: [.linux], configuration: .release)),
    ]

/// Linker settings for system C libraries. On Linux they name static archives, because each shared library adds a
/// million instructions to every start. On macOS they name the shared libraries of macOS; `homebrew` contains the
/// others.
func systemLibraries(linux: [String], macOS: [String] = []) -> [LinkerSetting] {
    linux.map { .linkedLibrary($0, .when(platforms: [.linux])) }
        + macOS.map { .linkedLibrary($0, .when(platforms: [.macOS])) }
}

/// C libraries that are not part of macOS. The linker does not search Homebrew's directories, so pkg-config supplies
/// the search paths.
#if os(macOS)
    let homebrew: [Target] = [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.brew(["libsodium"])])
    ]
#else
    let homebrew: [Target] = [.systemLibrary(name: "CSodium")]
#endif

/// Linker options for a fast start: without them, `authctl token` takes 1.4 times as long. Only libc and libm are
/// linked as shared libraries, and relocations are packed. No symbol is exported, because libraries loaded later, such
/// as libcurl, would search all exported symbols. `-s` strips symbols and debug information. The unwind tables are
/// kept, so that a debugger can show a backtrace. Functions with the same instructions become one, which saves 0.8 MiB;
/// nothing compares addresses of functions.
let fastStart: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "-s", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--exclude-libs=ALL",
            "-Xclang-linker", "-static-libgcc",
            "-Xlinker", "--remap-inputs=*/libstdc++.so=/dev/null", "-Xlinker", "-l:libstdc++.a",
            "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--icf=all",
        ], .when(platforms: [.linux], configuration: .release))
]

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, linker: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path, swiftSettings: path == nil ? shipped : strict,
        linkerSettings: linker)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: ["Expectations"] + dependencies, swiftSettings: strict)
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
                "CArguments", "CProcess", "CommandLineKit", "CurlTransport", "JSON", "LibC", "Platform", "SQLite",
                "Transport",
            ],
            swiftSettings: shipped, linkerSettings: fastStart),
        library(
            "AuthctlCommands",
            ["AuthBackends", "AuthClient", "AuthModel", "CommandLineKit", "JSON", "Platform", "Transport"]),
        library("CommandLineKit"),
        library("AuthClient", ["AuthModel", "JSON", "Platform", "Transport"]),
        library("AuthBackends", ["AuthModel", "JSON", "Platform", "Transport"]),
        library("AuthModel", ["JSON", "Platform", "Transport"]),
        library("Transport", ["Platform"]),
        library("CurlTransport", ["CLibcurl", "LibC", "Platform", "Transport"]),
        .target(name: "CLibcurl"),
        .target(name: "CArguments"),
        .target(name: "CProcess"),
        library(
            "AccountServer", ["CSodium", "JSON", "Platform", "SQLite", "Transport"],
            linker: systemLibraries(linux: [":libsodium.a"])),
        library("AccountListener", ["AccountServer", "CProcess", "LibC", "Platform", "Transport"]),
        library("SQLite", ["CSQLite"], linker: systemLibraries(linux: [":libsqlite3.a", "m"], macOS: ["sqlite3"])),
        library("LibC"),
        library("Platform", ["CProcess", "LibC"]),
        library("JSON"),
        .systemLibrary(name: "CSQLite"),
        library(
            "CommandTestSupport",
            [
                "AuthBackends", "AuthClient", "AuthModel", "AuthctlCommands", "Expectations", "JSON",
                "MessageSnapshots", "Platform", "Transport",
            ],
            path: "Tests/CommandTestSupport"),
        library("Expectations", path: "Tests/Expectations"),
        library("ManualRendering", ["CommandLineKit"], path: "Tests/ManualRendering"),
        library("MessageSnapshots", path: "Tests/MessageSnapshots"),
        tests("AuthModelTests", ["AuthModel", "JSON", "MessageSnapshots", "Platform", "Transport"]),
        tests(
            "AuthClientTests",
            ["AuthClient", "AuthModel", "CommandTestSupport", "JSON", "MessageSnapshots", "Platform", "Transport"]),
        tests(
            "AuthBackendsTests",
            [
                "AccountServer", "AuthBackends", "AuthModel", "CommandTestSupport", "JSON", "MessageSnapshots",
                "Platform",
                "Transport",
            ]),
        tests("PlatformTests", ["CommandTestSupport", "LibC", "MessageSnapshots", "Platform"]),
        tests("TransportTests", ["CommandTestSupport", "JSON", "MessageSnapshots", "Platform", "Transport"]),
        tests(
            "AuthctlCommandsTests",
            [
                "AuthBackends", "AuthClient", "AuthModel", "AuthctlCommands", "CommandLineKit", "CommandTestSupport",
                "JSON", "ManualRendering", "MessageSnapshots", "Platform", "Transport",
            ]),
        .target(name: "CPseudoTerminal", path: "Tests/CPseudoTerminal"),
        library("TestSupport", ["CPseudoTerminal", "Expectations", "MessageSnapshots"], path: "Tests/TestSupport"),
        tests(
            "EndToEndTests",
            ["AuthClient", "AuthModel", "LibC", "MessageSnapshots", "Platform", "SQLite", "TestSupport", "authctl"]),
        tests("CommandLineKitTests", ["CommandLineKit", "ManualRendering", "MessageSnapshots", "TestSupport"]),
        tests("CurlTransportTests", ["CurlTransport", "MessageSnapshots", "Platform", "TestSupport", "Transport"]),
        tests("AccountListenerTests", ["AccountListener", "AccountServer", "JSON", "LibC", "Platform", "Transport"]),
        tests(
            "FuzzTests",
            [
                "AccountListener", "AccountServer", "AuthBackends", "AuthClient", "AuthModel", "AuthctlCommands",
                "CommandLineKit", "JSON", "Platform", "Transport",
            ]),
        tests("JSONTests", ["JSON", "MessageSnapshots"]),
        tests("SQLiteTests", ["CSQLite", "SQLite"]),
        tests("AccountServerTests", ["AccountServer", "JSON", "LibC", "Platform", "SQLite", "Transport"]),
    ] + homebrew,
    swiftLanguageModes: [.v6]
)
