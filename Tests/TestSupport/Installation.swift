import Foundation

/// The program in a folder of the sandbox, installed with the command from the README.
package struct Installation {
    package static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    package struct Fault: Error {
        package let description: String
    }

    private let world: Sandbox
    private let lines: [String]
    package let prefix: String

    package init(in world: Sandbox) throws {
        self.world = world
        prefix = "\(world.root)/prefix"
        lines = try world.text("\(Self.project)/README.md").split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("sh -ec 'P=${PREFIX:-/usr/local}") }
        // The README's command runs in `stage`, which links to the tested binary as its release build.
        let stage = "\(world.root)/stage"
        try FileManager.default.createDirectory(atPath: "\(stage)/.build/release", withIntermediateDirectories: true)
        for (name, target) in [
            (".build/release/authctl", BuiltBinary.path), ("man", "\(Self.project)/man"),
            ("completions", "\(Self.project)/completions"),
        ] {
            try FileManager.default.createSymbolicLink(atPath: "\(stage)/\(name)", withDestinationPath: target)
        }
        try run(0)
    }

    package func undo() throws { try run(1) }

    /// The paths of all files below the prefix, relative to it.
    package var files: [String] {
        world.contents(of: prefix).filter { (world.status($0)?.st_mode ?? 0) & S_IFMT != S_IFDIR }
            .map { String($0.dropFirst(prefix.count + 1)) }.sorted()
    }

    private func run(_ index: Int) throws {
        guard lines.indices.contains(index) else { throw Fault(description: "the README has no line \(index)") }
        let result = try world.start(
            [], environment: ["PREFIX": prefix], folder: "\(world.root)/stage",
            program: ["/bin/bash", "-c", lines[index]]
        ).wait()
        guard result.exitCode == 0 else { throw Fault(description: result.everything) }
    }
}
