import AuthClient

extension Context {
    /// Says where the mails of the accounts on this machine are; those of a host go by mail.
    func noteMailFolder(of client: Client) {
        guard !client.settings.backend.value.takesServer, let folder = try? Paths(environment: environment).mails()
        else { return }
        events.note(
            "mails of the accounts on this machine are files in '\(folder.path)'; "
                + "their links work while 'authctl serve' runs")
    }
}
