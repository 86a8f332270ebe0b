import CommandLineKit

extension ApiCommand {
    /// The notes of the manual page. A test runs the CI job.
    static let notes: [HelpTopic.Block] = [
        .paragraph(
            """
            Without `--timeout`, a transfer may take any time, but ends with exit code 8 after 30 seconds without \
            progress. A truncated response has exit code 8, too, whatever was printed before. GET, HEAD and OPTIONS are \
            retried until the first byte of the body is printed; other requests are never repeated after they were sent, \
            except once after the session was refreshed.
            """),
        .paragraph(
            """
            The status decides the exit code, unless the body is an error that the backend knows: a Parse error with code \
            209 is 4, one with code 202 is 6. Otherwise 401 is 4, 403 is 5, 409 is 6, other 4xx are 7, and 429 and 5xx \
            are 9.
            """),
        .paragraph(
            """
            The session remembers the setting `apiURL` of the login. It is not sent to another one: log in again after a \
            change of the setting. Only the header field of the session goes to that URL, no application key.
            """),
        .paragraph("This CI job logs in, prints the user's id, saves all sessions as lines of JSON, and logs out:"),
        .code(job),
    ]

    static let job = """
        export AUTHCTL_BACKEND=parse AUTHCTL_SERVER=https://example.org/parse
        export AUTHCTL_APP_ID=shop AUTHCTL_CLIENT_KEY="$REST_KEY"
        export AUTHCTL_PASSWORD="$APP_PASSWORD"
        authctl login ci-user --quiet || exit
        trap 'authctl logout --quiet' EXIT
        authctl api /users/me | jq -er .objectId || exit
        authctl api /sessions --paginate > sessions.json
        """
}
