import CommandLineKit

extension ApiCommand {
    /// The notes of authctl-api(1). A test runs the CI job that they contain.
    static let notes: [HelpTopic.Block] = [
        .paragraph(
            """
            Without `--timeout`, AUTHCTL_TIMEOUT or `--paginate`, a transfer has no time limit, but fails with exit \
            code 8 after 30 seconds without progress. A truncated response causes exit code 8, even if part of the \
            body was printed. authctl retries GET, HEAD and OPTIONS requests, but not after it has printed the first \
            byte of the body. authctl does not retry requests with other methods, such as POST. If the server rejects \
            a session with a refresh token, authctl refreshes it and repeats the request, whatever the method.
            """),
        .paragraph(
            """
            If authctl recognizes the error in the body, that error determines the exit code: for example, 4 for Parse \
            error 209 and 6 for Parse error 202. If authctl does not recognize the error, the HTTP status determines \
            the exit code: 4 for 401, 5 for 403, 6 for 409, 9 for 429 and 5xx, and 7 for any other 4xx.
            """),
        .paragraph(
            """
            `--paginate` reads the list in `results`, `data` or `items`, and follows `next` at the top or in `links`, \
            `meta` or `pagination`. A link with the site's internal address is requested at the server URL. If a list \
            ends although its `count` or a member for the next page announces more items, the exit code is 8.
            """),
        .paragraph(
            """
            A login records the setting `apiURL` in the saved session, and authctl sends that session to no other API \
            URL. After changing `apiURL`, log in again. A request to the API URL carries the session token, but no \
            client key.
            """),
        .paragraph("This CI job logs in, prints the user's id, saves the list of sessions as NDJSON, and logs out:"),
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
