import AuthBackends
import AuthModel
import CommandLineKit

extension HelpTopics {
    /// The topic on what each backend can do, derived from what its code declares.
    static var backends: HelpTopic {
        HelpTopic(
            "backends", summary: "What each backend can do",
            opening: [
                .paragraph(
                    """
                    What each backend can do. A command that a backend cannot do fails with exit code 10. A server's \
                    configuration can switch off more: the error then names the reason.
                    """),
                .rows(abilities.map { HelpRow($0.command, $0.backends) }),
            ],
            sections: [
                HelpTopic.Section(
                    "The administrator's key",
                    [.paragraph("What `--admin-key-file` reads, and how to get it."), .rows(adminKeys)]),
                HelpTopic.Section(
                    "Server versions",
                    [
                        .paragraph("The server versions that authctl was tried with."),
                        .rows(trials),
                    ]),
            ])
    }

    /// Each command with the backends that can do it.
    static var abilities: [(command: String, backends: String)] {
        let all = BackendRegistry.standard.descriptors.map(\.kind)
        return BackendAbility.all.map { ability in
            let kinds = ability.backends(of: .standard)
            return (ability.command, kinds == all ? "all backends" : kinds.joined(separator: ", "))
        }
    }

    /// The backends in the first row that begins with the command, for a sentence: "`local`, `parse` and `kii`".
    static func backends(of command: String) -> String {
        let row = BackendAbility.all.first { $0.command.hasPrefix(command) }
        return list(row?.backends(of: .standard) ?? [])
    }

    /// What the administrator of each backend can change, for a table.
    static var changes: [HelpRow] {
        let names: [(AccountParts, String)] = [
            (.email, "e-mail"), (.password, "password"), (.verified, "verified"), (.unverified, "unverified"),
            (.disabled, "disabled"), (.claims, "claims"), (.roles, "roles"), (.sessions, "end of sessions"),
        ]
        return BackendRegistry.standard.descriptors.filter { !$0.accounts.changes.isEmpty }.map { backend in
            let parts = names.filter { backend.accounts.changes.contains($0.0) }.map(\.1)
            let fields =
                backend.accounts.fields.map { "fields \($0.map { "`\($0)`" }.joined(separator: ", "))" } ?? "fields"
            return HelpRow(backend.kind, "\(([fields] + parts).joined(separator: ", ")).")
        }
    }

    /// The form of the ids that each backend's administrator can give to new accounts, for a sentence.
    static var idForms: String {
        BackendRegistry.standard.descriptors.filter { $0.accounts.byAdministrator.contains(.id) }
            .compactMap { backend in backend.accounts.ids.map { "on `\(backend.kind)`, an id must \($0.rule)" } }
            .joined(separator: "; ")
    }

    /// The backends with the trait, for a sentence.
    static func backends(with trait: BackendDescriptor.Traits) -> String {
        list(BackendRegistry.standard.descriptors.filter { $0.has(trait) }.map(\.kind))
    }

    private static func list(_ kinds: [String]) -> String {
        let names = kinds.map { "`\($0)`" }
        guard let last = names.last else { preconditionFailure("no backend can do this") }
        return names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last
    }

    private static var adminKeys: [HelpRow] {
        BackendRegistry.standard.descriptors.compactMap { backend in
            backend.adminKey.map { HelpRow(backend.kind, "The \($0.name): \($0.source).") }
        }
    }

    private static var trials: [HelpRow] {
        BackendRegistry.standard.descriptors.flatMap { backend in
            backend.trials.map { HelpRow(backend.kind, "\($0.versions) (\($0.method.rawValue), \($0.date)).") }
        }
    }
}
