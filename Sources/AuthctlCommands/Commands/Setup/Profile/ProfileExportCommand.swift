import AuthClient
import AuthModel
import CommandLineKit

enum ProfileExportCommand: Command {
    struct Options: CommandOptions {
        var profile: String?
    }

    static let name = "profile export"
    static let summary = "Print a connection for others to add"
    static let usesProfile = false
    static let readsOutputVariable = false
    static let spec = declaration(
        discussion: """
            Prints the connection of a profile as a JSON document, without sessions. The document contains the \
            publishable key of Supabase or the Web API key of Firebase, which every app has, but no other key.
            """,
        examples: [
            Example("authctl profile export ci > ci.json", "Write the connection to a file."),
            Example("authctl profile add ci2 --from-file ci.json", "Add it elsewhere."),
        ],
        exitCodes: [0, 2, 12],
        arguments: [
            .optionalPositional({ $0.profile = $1 }, "NAME", help: "Profile name (default: the current profile).")
                .completed(by: .profiles)
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> ConnectionDocument {
        let book = try ProfileBook(context)
        let name = options.profile ?? book.current
        try book.requireProfile(name)
        let profile = book.configuration[name] ?? .builtIn
        let backend = try context.resolver.descriptor(
            profile.text(.backend) ?? context.backends[0].kind, from: .profile(name))
        var omitted: [String] = []
        let document = ConnectionDocument(profile, of: backend) { omitted.append($0) }
        if !omitted.isEmpty {
            context.events.inform(
                "left out \(omitted.quotedList(atMost: 9)); after 'profile add', set each with 'authctl profile set'")
        }
        return document
    }
}
