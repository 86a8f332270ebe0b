import AuthModel
import CommandLineKit

extension HelpTopics {
    static var json: HelpTopic {
        HelpTopic(
            "json", summary: summary(of: "json"),
            opening: [
                .paragraph(
                    """
                    With `--json`, which is the same as `--output json`, or AUTHCTL_OUTPUT=json, standard output holds \
                    exactly one document and a line feed, or nothing. A failure is one document on standard error; \
                    `whoami`, `logout` and `sessions` print the state that they found all the same. Documents only gain \
                    members; what is written here stays. `token`, `completion`, `help` and `version` heed the option \
                    alone.
                    """),
                .paragraph(
                    """
                    Documents are UTF-8. Members that are named here are always there, null when unknown. Times are RFC \
                    3339 in UTC and whole seconds: `2026-11-20T19:25:25Z`. No document but that of `token` holds a secret.
                    """),
                .rows([
                    HelpRow("v", "1: the version of this contract."),
                    HelpRow("kind", "What the document is: one of the headings below."),
                ]),
            ],
            sections: JSONDocumentation.all.map(\.section))
    }
}

/// The documentation of a document, or of an object that several documents share.
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
}

extension JSONDocumentation {
    private static let profile = "The profile that was used."
    private static let server = "The base URL of the server; null for the backend `local`."

    private static let filled =
        "With `--fill-user` the fields that hold now what Facebook told, by the server's names; else null."

    private static let account = [
        JSONDocumentation(
            "signup", "login", text: "Who has an account now, or is logged in.",
            members: [
                "profile": profile, "backend": "The kind of server.", "server": server,
                "created": "Whether the account was made; null where the server does not say.",
                "user": "The user, as below.", "session": "The session that is kept, as below; null if there is none.",
                "pending":
                    "`email-verification` if the server wants the address confirmed first, and so gave no session; else null.",
                "filled": filled,
                "warnings": "A list of texts.",
            ]),
        JSONDocumentation(
            "whoami", text: "The state of the session.",
            members: [
                "state":
                    """
                `valid`; `stored` with `--offline`; `rejected` or `expired` (exit code 4); `absent` (3); `unknown` \
                if the server gave no usable answer (8 or 9).
                """,
                "checked": "Whether the server was asked and answered.", "profile": profile,
                "backend": "The kind of server.", "server": server,
                "source": "Where the token is from: `file` or the environment; null without one.",
                "user": "As below, or null.", "session": "As below, or null.",
                "error": "Why the state is not what it should be, as in the document `error`; else null.",
            ]),
        JSONDocumentation(
            "logout", text: "What became of the session.",
            members: [
                "profile": "The profile that was used; null with `--all-profiles`.",
                "changed": "Whether there was a session.",
                "revoked": "At the server: `yes`, `already`, `unsupported`, or `unknown` if it could not be asked.",
                "forgotten": "Whether it is gone from this machine.",
                "error": "Why the server could not be asked, as in the document `error`; else null.",
                "items": "With `--all-profiles` alone: the same members for each profile.",
            ]),
        JSONDocumentation(
            "link-facebook", text: "How the account and Facebook are linked.",
            members: [
                "profile": profile, "linked": "Whether an identity is linked now.",
                "changed": "Whether it was not before.", "facebookId": "Which; null if unknown or none.",
                "facebookIds": "All of them, as far as they are known: some servers link an account with several.",
                "replacedId": "The one that it took the place of, or null.",
                "filled": filled,
                "permissionsRevoked":
                    "Whether, by `--revoke`, what the token's user allowed the app at Facebook is withdrawn now.",
            ]),
        JSONDocumentation(
            "device-code", text: "On standard error, a line, while somebody logs in at Facebook in a browser.",
            members: [
                "userCode": "What to enter.", "verificationUri": "The page to enter it at.",
                "verificationUriComplete": "The same with the code filled in.",
                "expiresAt": "When the code has run out, a time.",
                "interval": "How often Facebook is asked, in seconds.",
            ]),
        JSONDocumentation(
            "password.change", text: "The password is changed.",
            members: ["profile": profile, "session": "The session that goes on, as below."]),
        JSONDocumentation(
            "password.reset", text: "A mail was asked for.",
            members: ["profile": profile, "sent": "True; whether there is such an account the server does not say."]),
        JSONDocumentation(
            "verify-email", text: "How the confirmation of the address stands.",
            members: [
                "profile": profile, "sent": "Whether a mail was asked for.",
                "verified": "Whether the address is confirmed.",
                "user": "Who is logged in by it now, after a code that a sign-up waited for; null otherwise.",
            ]),
    ]

    private static let sessions = [
        JSONDocumentation(
            "sessions", text: "The sessions of the account.",
            members: [
                "profile": profile,
                "complete": "False where the server has no list: then the one that is known here is shown.",
                "items": "A list of the objects `session item` below.",
                "error": "Why there is no list, as in the document `error`; else null.",
            ]),
        JSONDocumentation(
            "sessions.revoke", text: "Which sessions were ended.",
            members: [
                "profile": profile, "revoked": "The list of their ids.",
                "forgotten": "Whether the one kept here was among them, and is forgotten.",
            ]),
        JSONDocumentation(
            "token", text: "The one document that is secret.",
            members: ["profile": profile, "token": "The token of the session.", "expiresAt": "A time, or null."]),
    ]

    private static let setup = [
        JSONDocumentation(
            "profiles", text: "From `profile list`.",
            members: [
                "current": "The name of the one in use.", "items": "A list of the objects `profile item` below.",
            ]),
        JSONDocumentation(
            "profile", text: "From the other commands of `profile`.",
            members: ["item": "The object `profile item` below, as it is now."]),
        JSONDocumentation(
            "completion", text: "The script that completes command lines.",
            members: ["shell": "`bash`, `zsh` or `fish`.", "script": "Its text."]),
        JSONDocumentation(
            "help", text: "A page of help.",
            members: ["subject": "The command or the topic; null for the program.", "text": "The page."]),
        JSONDocumentation("version", text: "Which authctl this is.", members: ["version": "Such as `0.1.0`."]),
        JSONDocumentation(
            "serve", text: "Printed as soon as the server is ready.",
            members: [
                "url": "Its base URL.", "appId": "The application id that requests must name.",
                "pid": "The number of the process.",
            ]),
    ]

    private static let failures = [
        JSONDocumentation(
            "error", text: "On standard error, when a command failed.",
            members: [
                "error": "The object `error object` below.",
                "warnings": "What else there was to say, a list of texts.",
            ]),
        JSONDocumentation(
            "warning", text: "On standard error, a line for each that has no other place.",
            members: ["message": "The text."]),
    ]

    private static let parts = [
        JSONDocumentation(
            "error object", text: "Why a command failed.",
            members: [
                "code": "One of the names of `authctl help exit-codes`: a closed list.",
                "exit": "The exit code.",
                "reason": "More exactly; more may come: \(reasons).",
                "message": "For people.", "hint": "The first of `hints`, or null.",
                "hints": "What to do next, the best step first.",
                "http": "The status of the server's answer, or null.",
                "backend": "What the server said: an object of `code` and `message`, or null.",
                "fields": "Lists of texts by the name of the field that is wrong.",
                "retryable": "Whether the same command may work later.",
                "retryAfter": "Seconds that the server asks to wait, or null.",
            ]),
        JSONDocumentation(
            "user", text: "A user, as far as the server tells.",
            members: [
                "id": "The id at the server.", "username": "May be null.", "email": "May be null.",
                "emailVerified": "True, false, or null if the server does not say.", "createdAt": "A time, or null.",
                "providers": "Other ways to log in, such as `facebook`; null if the server does not say.",
                "fields": "What else the server knows, as it was given.",
            ]),
        JSONDocumentation(
            "session", text: "A session, without its token.",
            members: ["id": "May be null.", "createdAt": "A time, or null.", "expiresAt": "A time, or null."]),
        JSONDocumentation(
            "session item", text: "A session in the list of sessions.",
            members: [
                "id": "As `sessions revoke` takes it.", "current": "Whether it is the one kept here.",
                "createdAt": "A time, or null.", "expiresAt": "A time, or null.",
                "lastSeenAt": "When it was last used; null if the server does not say.",
                "createdWith": "How it was begun: `password`, `facebook` and the like; or null.",
                "device": "What the server knows of the device, or null.",
                "address": "The network address that it was begun from, or null.",
            ]),
        JSONDocumentation(
            "profile item", text: "A profile.",
            members: [
                "name": "As `--profile` takes it.", "backend": "The kind of server.", "server": server,
                "appId": "The id of the application, or null.", "username": "Who is logged in, or null.",
                "origin": "`configuration`, or `built-in` if nothing is configured for it.",
                "settings": "What is set for its kind of backend: texts by the keys of `profile set`.",
            ]),
    ]

    private static var reasons: String {
        AuthError.Reason.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
}
