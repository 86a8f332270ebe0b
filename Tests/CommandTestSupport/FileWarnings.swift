package import Platform
import Synchronization

/// Records the warnings about a folder and its files.
package final class FileWarnings: Sendable {
    private let content = Mutex<[String]>([])

    package init() {}

    package var texts: [String] { content.withLock { $0 } }

    package var rules: FolderRules { FolderRules(warn: { [self] text in content.withLock { $0.append(text) } }) }
}
