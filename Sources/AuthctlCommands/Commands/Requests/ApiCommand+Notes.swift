import CommandLineKit

extension ApiCommand {
    /// The notes of the manual page, with the same CI job written twice. A test runs both.
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
        .paragraph("Line by line, this is what curl and jq need for the same:"),
        .code(jobWithCurl),
        .paragraph(
            """
            The login takes one line instead of ten: the password must not be an argument, the token must be read from \
            the response and kept in a file that other users cannot read, and a wrong password must be told from a server \
            that is down. The list takes one line instead of ten, and waits if the server limits requests, which the \
            second job does not. The first job works with every backend; the second one only with Parse Server.
            """),
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

    static let jobWithCurl = #"""
        server=https://example.org/parse
        fields=$(mktemp) || exit
        trap 'rm -f "$fields"' EXIT
        printf 'X-Parse-Application-Id: shop\n' > "$fields"
        printf 'X-Parse-REST-API-Key: %s\n' "$REST_KEY" >> "$fields"
        call() { curl -sS --max-time 30 --fail-with-body -H "@$fields" "$@"; }
        user='{username: "ci-user", password: env.APP_PASSWORD}'
        response=$(jq -n "$user" |
            call -H 'Content-Type: application/json' -d @- "$server/login")
        status=$?
        case $(printf '%s' "$response" | jq -r .code 2> /dev/null) in
            101) exit 4 ;;
        esac
        [ "$status" -eq 0 ] || exit 8
        token=$(printf '%s' "$response" | jq -er .sessionToken) || exit 8
        printf 'X-Parse-Session-Token: %s\n' "$token" >> "$fields"
        trap 'call -o /dev/null -X POST "$server/logout"; rm -f "$fields"' EXIT
        call "$server/users/me" | jq -er .objectId || exit
        skip=0
        while page=$(call "$server/sessions?order=objectId&skip=$skip"); do
            count=$(printf '%s' "$page" | jq '.results | length')
            [ "$count" -gt 0 ] || break
            printf '%s' "$page" | jq -c '.results[]'
            skip=$((skip + count))
        done > sessions.json
        """#
}
