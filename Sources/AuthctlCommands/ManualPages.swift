import AuthModel
import CommandLineKit

/// The manual pages as the declarations and the help topics have them; for the test that writes or compares them.
enum ManualPages {
    static var all: [Manual.Page] {
        Manual(
            program: GlobalOptions.spec.description,
            groups: CommandRegistry.groups.map { ($0.title, $0.commands.map { $0.description }) },
            exitCodes: HelpPages.exitCodes,
            parts: Manual.Parts(
                exitCodes: HelpTopics.exitCodeRows, environment: HelpTopics.environment, files: HelpTopics.fileRows,
                notes: HelpTopics.security),
            formats: [HelpTopics.json, HelpTopics.files],
            release: Manual.Release(version: programVersion, date: programDate)
        ).pages
    }
}
