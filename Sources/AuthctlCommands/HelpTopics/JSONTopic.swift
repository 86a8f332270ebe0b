import AuthModel
import CommandLineKit

extension HelpTopics {
    static var json: HelpTopic {
        HelpTopic(
            "json", summary: "JSON output",
            opening: [
                .paragraph(
                    """
                    With `--json`, `--output json` or AUTHCTL_OUTPUT=json, standard output contains exactly one JSON \
                    document and a newline, or is empty; `users` commands and `check` print one document per line. `authctl api` \
                    always prints the server's response. An error is one JSON document on standard error. `whoami`, \
                    `logout` and `sessions list` report most errors in the member `error` of their own document \
                    instead, and `doctor` reports them as findings. New versions of authctl may add members to \
                    documents, but never remove or change members. `token`, `storage-state`, `completion`, `help` and \
                    `version` ignore AUTHCTL_OUTPUT.
                    """),
                .paragraph(
                    """
                    Documents are UTF-8. Unless noted, the members below are always present, and null when unknown. \
                    Times are RFC 3339 in UTC, in whole seconds: `2026-11-20T19:25:25Z`. Only the documents of \
                    `token`, `storage-state`, `mail` and `serve --test-controls` contain secrets.
                    """),
                .rows([
                    HelpRow("v", "Version of the format: 1."),
                    HelpRow(
                        "kind",
                        """
                        Kind of the document, as in the headings below. `storage-state`, `users export` and help on a \
                        command print documents without `v` and `kind`.
                        """),
                ]),
            ],
            sections: JSONDocumentation.all.map(\.section))
    }
}

/// Describes a JSON document, or an object that several documents share.
struct JSONDocumentation: Sendable {
    /// The values of `kind`, or the name of the shared object.
    let kinds: [String]
    let text: String
    let members: [HelpRow]

    /// - Parameter members: names and meanings, without `v` and `kind`.
    init(_ kinds: String..., text: String, members: KeyValuePairs<String, String>) {
        self.kinds = kinds
        self.text = text
        self.members = members.map { HelpRow($0.key, $0.value) }
    }

    fileprivate var section: HelpTopic.Section {
        HelpTopic.Section(kinds.joined(separator: ", "), [.paragraph(text), .rows(members)])
    }

    static var all: [JSONDocumentation] { account + sessions + setup + failures + parts }

    private static let profile = "Profile."
    private static let sessionName = "Session name (`--as`); null for the profile's own session."
    private static let server = "Base URL of the server; null for the backend `local`."

    private static let otherSessions =
        "Sessions for other connections: objects with `backend`, `server`, `as` and `username`."

    private static let filled =
        "Names of the user fields that `--fill-user` set from Facebook; null without the option."

    private static let account = [
        JSONDocumentation(
            "signup", "login", text: "The user who signed up or logged in.",
            members: [
                "profile": profile, "as": sessionName, "backend": "Kind of server.", "server": server,
                "created": "Whether the account is new; null if the server does not report it.",
                "user": "User (see below).", "session": "Saved session (see below), or null.",
                "pending":
                    """
                `email-verification` if login requires a verified e-mail, `login-code` if the server has sent a code or \
                link that logs in (`session` is then null); otherwise null.
                """,
                "filled": filled,
                "warnings": "List of warnings.",
            ]),
        JSONDocumentation(
            "whoami", text: "The state of the session.",
            members: [
                "state":
                    """
                `valid`; `stored` with `--offline`; `rejected` or `expired` (exit code 4); `absent` (3); `unknown` if \
                the server gave no usable response (8 or 9).
                """,
                "checked": "Whether the server accepted or rejected the session.",
                "profile": profile, "as": sessionName,
                "backend": "Kind of server.", "server": server,
                "source": "Source of the token: `file`, `environment`, or null without a token.",
                "impersonated": "Whether `login --impersonate` created the session; null if unknown.",
                "pending":
                    """
                `email-verification` while a signup or login waits for its code or link, `login-code` while a login \
                without a password waits for it; otherwise null.
                """,
                "user": "User (see below), or null.", "session": "Session (see below), or null.",
                "otherSessions": otherSessions,
                "error": "Error object (see below), or null.",
            ]),
        JSONDocumentation(
            "whoami.all", text: "Output of `whoami --all`.",
            members: [
                "items":
                    """
                List of objects with `profile`, `as`, `backend`, `server`, `username`, `expiresAt`, `state` (see `whoami`; \
                `stored` without `--check`) and `current` (whether the session is in use).
                """,
                "error": "Error of the first session that cannot be read or, with `--check`, is not valid; or null.",
            ]),
        JSONDocumentation(
            "logout", text: "Result of the logout.",
            members: [
                "profile": "Profile; null with `--all-profiles`.",
                "changed": "Whether there was a saved session, or a token in the environment was revoked.",
                "revoked":
                    """
                Whether the server revoked the session: `yes`; `already` if there was no valid session; `unsupported` \
                if the server cannot revoke it; `unknown` if the revocation was not requested or has failed.
                """,
                "forgotten": "Whether the saved session was deleted.",
                "error": "Error object (see below), or null.",
                "items":
                    """
                Only with `--all-profiles`: one object per session, with the members above plus `backend`, `server` \
                and `as` (session name).
                """,
            ]),
        JSONDocumentation(
            "link", text: "Link of the account to a provider.",
            members: [
                "profile": profile, "provider": "Name of the provider.",
                "linked": "Whether an identity is linked now; null if the server does not report it.",
                "changed":
                    "Whether the command changed the link; null if the server does not report the previous link.",
                "id": "Id of the linked identity, or null.",
                "ids":
                    "Ids of all known linked identities; some servers allow several. Null if `linked` is null.",
                "replacedId": "Id of the identity that was replaced, or null.",
            ]),
        JSONDocumentation(
            "links", text: "All linked identities, from `link --status` without a provider.",
            members: [
                "profile": profile,
                "items":
                    "List of objects with `provider` and `ids`; null if the server does not report linked identities.",
            ]),
        JSONDocumentation(
            "link-facebook", text: "Facebook link of the account.",
            members: [
                "profile": profile,
                "linked": "Whether an identity is linked now; null if the server does not report it.",
                "changed":
                    "Whether the command changed the link; null if the server does not report the previous link.",
                "facebookId": "Id of the linked identity, or null.",
                "facebookIds":
                    "Ids of all known linked identities; some servers allow several. Null if `linked` is null.",
                "replacedId": "Id of the identity that was replaced, or null.",
                "filled": filled,
                "permissionsRevoked":
                    "With `--revoke`: whether the app's permissions on Facebook were revoked; otherwise false.",
            ]),
        JSONDocumentation(
            "device-code", text: "One line on standard error during a Facebook device login.",
            members: [
                "userCode": "Code to enter.", "verificationUri": "Page on which to enter the code.",
                "verificationUriComplete": "Page on which the code is already filled in.",
                "expiresAt": "Expiry of the code.",
                "interval": "Polling interval in seconds.",
            ]),
        JSONDocumentation(
            "password.change", text: "Result of a password change.",
            members: ["profile": profile, "session": "Saved session (see below)."]),
        JSONDocumentation(
            "password.reset", text: "Result of a password reset.",
            members: [
                "profile": profile,
                "sent": "Whether an e-mail was requested; the server does not reveal whether the account exists.",
                "changed": "Whether the password was changed.",
                "session": "Saved session (see below); null if the server did not log the user in.",
            ]),
        JSONDocumentation(
            "account.update", text: "The account after the change.",
            members: [
                "profile": profile,
                "changed": "Whether a change was sent; false if the account already has the new values.",
                "pending":
                    "`email-verification` if the new e-mail takes effect with the link that was sent to it; otherwise null.",
                "user": "User (see below).",
            ]),
        JSONDocumentation(
            "account.delete", text: "The account before its deletion.",
            members: ["profile": profile, "changed": "Always true.", "user": "User (see below)."]),
        JSONDocumentation(
            "verify-email", text: "State of the verification.",
            members: [
                "profile": profile, "sent": "Whether an e-mail was requested.",
                "verified": "Whether the e-mail is known to be verified.",
                "user": "The user whose pending signup is complete now, or null.",
            ]),
    ]

    private static let sessions = [
        JSONDocumentation(
            "sessions", text: "Sessions of the account.",
            members: [
                "profile": profile,
                "complete": """
                False if `items` is incomplete: either the server cannot list sessions (`items` then has only the \
                current session) or the account has more than 100,000 sessions. Also false after an error.
                """,
                "items": "List of session items (see below).",
                "error": "Error object (see below), or null.",
            ]),
        JSONDocumentation(
            "sessions.revoke", text: "Revoked sessions.",
            members: [
                "profile": profile, "revoked": "List of the ids of revoked sessions.",
                "forgotten": "Whether the saved session was revoked and deleted.",
            ]),
        JSONDocumentation(
            "token", text: "Token of the session. This document is secret.",
            members: [
                "profile": profile, "token": "Token.",
                "scheme":
                    "Scheme of the header Authorization: `Bearer` or `Token`; null if another header field carries the token.",
                "headers": "Object of the header fields that authenticate a request.",
                "expiresAt": "Time, or null.",
            ]),
    ]

    private static let setup = [
        JSONDocumentation(
            "profiles", text: "Output of `profile list`.",
            members: [
                "current": "Name of the profile in use.", "as": "Session name that `profile use --as` set, or null.",
                "items": "List of profile items (see below).",
            ]),
        JSONDocumentation(
            "profile", text: "Output of `profile show`, `add`, `set`, `use` and `remove`.",
            members: [
                "state": "`profile add`: `added` or `unchanged`; otherwise null.",
                "current": "Name of the current profile, after the command.", "item": "Profile item (see below).",
            ]),
        JSONDocumentation(
            "connection", text: "Output of `profile export`, which `profile add --from-file` reads.",
            members: [
                "backend": "Kind of server.", "server": "URL, or null.", "appId": "Application id, or null.",
                "clientKey": "Publishable key of Supabase or Firebase; missing without one.",
                "allowHttp": "True if the profile allows plain http; otherwise missing.",
                "settings": "Object of further settings.",
            ]),
        JSONDocumentation(
            "completion", text: "Completion script.",
            members: ["shell": "`bash`, `zsh` or `fish`.", "script": "Text of the script."]),
        JSONDocumentation(
            "doctor", text: "Findings of `doctor`.",
            members: [
                "ok": "False if a finding is an error.",
                "findings":
                    "List of objects with `check` (a stable name), `level` (`ok`, `warning` or `error`), `message` and `hint`.",
            ]),
        JSONDocumentation(
            "help", text: "Help on a topic. Help on a command has a different format; see authctl-help(1).",
            members: ["subject": "Topic.", "text": "Text of the page."]),
        JSONDocumentation(
            "version", text: "Version of authctl.",
            members: [
                "version": "Version, such as `0.1.0`.",
                "commit": "Hash of the commit that the package was built from; null in a build that is not a package.",
            ]),
        JSONDocumentation(
            "serve",
            text:
                "Printed when the server is ready: on standard output or, with COMMAND, as one line on standard error.",
            members: [
                "url": "Base URL.", "appId": "Application id that requests must carry.",
                "pid": "Process id.",
                "controlUrl":
                    """
                Secret base URL of the test controls; null without `--test-controls`, or with `--set NAME=control-url`.
                """,
                "throttle":
                    "Whether limits apply to wrong passwords and, without `--ephemeral`, to signups and e-mails.",
            ]),
        JSONDocumentation(
            "users.row", text: "One line for each row of `users create`, `verify`, `login`, `refresh` and `delete`.",
            members: [
                "row": "Number of the row, starting at 1.",
                "state":
                    "`created`, `existing`, `verified`, `logged-in`, `refreshed`, `deleted`, `gone` (no longer there), `skipped` (completed by an earlier run), `failed`, `unknown` (the account may exist), or, with `--dry-run`, `valid`.",
                "username": "Username, or e-mail if the account has no username.", "id": "Id on the server, or null.",
                "pending":
                    "`email-verification` while the account waits for the verification of its e-mail, `second-factor` or `login-code` if each login needs a code; otherwise null.",
                "file": "File with the browser state of the account (`--storage-states`), or null.",
                "error": "Error object (see below), or null.",
            ]),
        JSONDocumentation(
            "users.summary",
            text: """
                The last line of `users create`, `verify`, `login`, `refresh` and `delete`: the number of rows in each \
                state. Each of the members `deleted`, `gone`, `verified`, `logged-in`, `refreshed` and `valid` is present only if a row has the state of that name.
                """,
            members: [
                "created": "Accounts that were created.", "existing": "Accounts that already existed.",
                "skipped": "Rows that an earlier run completed.", "failed": "Rows with an error.",
                "unknown": "Rows whose outcome is unknown.", "seconds": "Duration of the command.",
                "pending":
                    "Only for `users create` without `--dry-run`: accounts that wait for the verification of their e-mail.",
                "kept": "Only for `users delete --journal`: accounts that existed before, if there are any.",
                "canDelete":
                    """
                Only for `users create` without `--dry-run`: whether `users delete` can delete accounts on this \
                backend.
                """,
            ]),
        JSONDocumentation(
            "check.cell", text: "One line for each request that `check` sent.",
            members: [
                "row": "Number of the request in the table, starting at 1.", "method": "Method.",
                "path": "Path as sent, with its query.", "user": "User as in the head line; null for `anyone`.",
                "expected": "Outcome in the table.",
                "actual":
                    "`yes`, `no`, the status, `items=N`, or the names of the fields that differ; null if it is not known.",
                "status": "HTTP status, or null.", "items": "Number of items if the response is a list, or null.",
                "ok": "Whether the outcome is as expected; null if it is not known.",
            ]),
        JSONDocumentation(
            "check.summary", text: "The last line of `check`.",
            members: [
                "cells": "Requests that were sent.", "failed": "Outcomes that are not as expected.",
                "unknown": "Outcomes that are not known.",
                "notSent": "Requests that were not sent: `-` in the table, or after an interruption.",
                "warnings": "List of warnings.",
            ]),
        JSONDocumentation(
            "check.draft", text: "Draft of a table, printed by `check --draft`.",
            members: [
                "table": "Text of the table.", "rows": "Number of requests in the table.",
                "requests": "Number of requests that were sent for it.",
                "open": "List of the paths whose items `anyone` gets.",
                "leftOut": "List of objects with `request` and `reason`: what the table does not contain.",
                "warnings": "List of warnings.",
            ]),
        JSONDocumentation(
            "mail", text: "E-mails, the newest last.",
            members: ["items": "List of mail items (see below)."]),
    ]

    private static let failures = [
        JSONDocumentation(
            "error", text: "Printed on standard error if a command fails.",
            members: ["error": "Error object (see below).", "warnings": "List of warnings."]),
        JSONDocumentation(
            "warning", text: "A warning that is not part of another document: one line on standard error.",
            members: ["message": "Text of the warning."]),
    ]

    private static let parts = [
        JSONDocumentation(
            "error object", text: "An error.",
            members: [
                "code": "Name of the exit code; see `authctl help exit-codes`.",
                "exit": "Exit code.",
                "reason": "Specific reason (the list may grow): \(reasons).",
                "message": "Error message in one sentence.", "hint": "First element of `hints`, or null.",
                "hints": "Next steps, the best one first.",
                "http": "HTTP status of the response, or null.",
                "backend":
                    "The server's error with secrets masked: an object with `code` and `message`; null if the server sent neither.",
                "fields": "Object that maps each invalid field to a list of messages.",
                "retryable": "Whether the same command may succeed later.",
                "retryAfter": "Seconds until the server allows a retry, or null.",
            ]),
        JSONDocumentation(
            "user", text: "A user. `users list` prints one user per line, with the additional members `v` and `kind`.",
            members: [
                "id": "Id on the server, or null.", "username": "Username, or null.", "email": "E-mail, or null.",
                "emailVerified": "Whether the e-mail is verified; null if the server does not report it.",
                "phone": "Phone number, or null.",
                "disabled": "Whether nobody can log in to the account; null if the server does not report it.",
                "claims": """
                Object that only an administrator can write, and that tokens carry: Supabase's `app_metadata`, \
                Firebase's custom claims; null if the server does not report it.
                """,
                "roles": "Names of the Parse roles; null if the server does not report them, or in a limited list.",
                "createdAt": "Time, or null.",
                "providers":
                    "Providers of the linked identities, such as `facebook`; null if the server does not report them.",
                "identities":
                    "Linked identities: objects with `provider` and `id` (may be null); null if the server does not report them.",
                "fields":
                    """
                Other fields of the user, as the server returns them; most servers return none after a signup. Members \
                whose names look like secrets are neither shown nor saved, at any depth. authctl splits the names of \
                members into words at `.`, `_`, `-` and case changes. A name looks like a secret if it contains \
                `password`, `passwd`, `secret` or `token`, or ends in `api key`, `private key`, `access key`, \
                `recovery code` or `recovery codes`.
                """,
            ]),
        JSONDocumentation(
            "session", text: "A session without its token.",
            members: ["id": "Session id, or null.", "createdAt": "Time, or null.", "expiresAt": "Time, or null."]),
        JSONDocumentation(
            "session item", text: "A session in the output of `sessions list`.",
            members: [
                "id": "Id for `sessions revoke`.", "current": "Whether the item is the session in use.",
                "createdAt": "Time, or null.", "expiresAt": "Time, or null.",
                "lastSeenAt": "Time of the last use, or null.",
                "createdWith":
                    "Authentication method, such as `password`, `facebook` or `masterkey` (impersonated), or null.",
                "device": "Device as the server describes it, or null.",
                "address": "Network address of the login, or null.",
            ]),
        JSONDocumentation(
            "mail item", text: "An e-mail.",
            members: [
                "to": "Address.", "subject": "Subject.", "at": "Time, or null.",
                "link": "Secret link that verifies the address or resets the password, or null.",
                "code": """
                Code that verifies the address or resets the password; null if the e-mail has no code, or several \
                possible codes.
                """,
            ]),
        JSONDocumentation(
            "profile item", text: "A profile.",
            members: [
                "name": "Name for `--profile`.", "backend": "Kind of server.", "server": server,
                "appId": "Application id, or null.", "username": "Username of the profile's own session, or null.",
                "users": "Session names (`--as`).",
                "origin": "`configuration`, or `built-in` if the profile is not configured.",
                "settings":
                    "Settings of the backend: object that maps each KEY (see authctl-profile-set(1)) to a string.",
                "otherSessions": otherSessions,
            ]),
    ]

    private static var reasons: String {
        AuthError.Reason.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
}
