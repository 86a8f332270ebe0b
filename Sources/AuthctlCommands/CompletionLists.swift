import AuthClient
import AuthModel
import CommandLineKit

/// What completion scripts ask for while somebody types: `authctl __complete profiles`, a name a line.
///
/// Not for people, so help is silent about it. Only the configuration is read; what cannot be read has no names, and
/// an error would come out in the middle of a command line.
struct CompletionLists {
    static let word = "__complete"
    static let profiles = "profiles"

    let world: World

    /// - Parameter words: what follows the word above.
    func run(_ words: [String]) -> Ending {
        let names = words == [Self.profiles] ? profileNames : []
        // Nobody is there to be told.
        try? world.output.write(names.map { $0 + "\n" }.joined())
        return .exit(0)
    }

    private var profileNames: [String] {
        // `try?`: without a configuration there is the built-in profile alone.
        let configured = (try? world.configuration().load())?.profiles.map(\.name) ?? []
        // A file that somebody edited may hold names that would mean something else to a shell.
        let names = configured.filter(Profile.isName)
        return names.contains(Profile.defaultName) ? names : ([Profile.defaultName] + names).sorted()
    }
}

extension ValueCompletion {
    /// The names of the profiles there are.
    static let profiles = live(CompletionLists.profiles)
}
