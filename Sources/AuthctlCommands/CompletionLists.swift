import AuthClient
import AuthModel
import CommandLineKit

/// Lists values for completion scripts: `authctl __complete profiles` prints one name per line.
///
/// Internal, so help omits it. It reads only the configuration, and prints nothing if that fails: an error message
/// would appear in the middle of the user's command line.
struct CompletionLists {
    static let word = "__complete"
    static let profiles = "profiles"

    let world: World

    /// - Parameter words: the arguments after `__complete`.
    func run(_ words: [String]) -> Ending {
        let names = words == [Self.profiles] ? profileNames : []
        // `try?`: a completion script cannot report errors.
        try? world.output.write(names.map { $0 + "\n" }.joined())
        return .exit(0)
    }

    private var profileNames: [String] {
        // `try?`: without a configuration there is only the built-in profile.
        let configured = (try? world.configuration({ _ in }).load())?.profiles.map(\.name) ?? []
        // An edited file may contain invalid names with characters that are special in a shell.
        let names = configured.filter(Profile.isName)
        return names.contains(Profile.defaultName) ? names : ([Profile.defaultName] + names).sorted()
    }
}

extension ValueCompletion {
    /// The names of all profiles.
    static let profiles = live(CompletionLists.profiles)
}
