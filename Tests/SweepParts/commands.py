"""The commands of the sweep: the changes of each, and how to see them on the disk."""

from SweepParts.world import World


class Swept:
    """A command. `is_done` tells whether a state shows its change, `may` whether a failure with these words may leave
    this state.

    `changes` names the sessions that it may change; all others must stay the same.
    """

    def __init__(self, name, words, is_done, may, changes=(), template="usual"):
        self.name, self.words, self.is_done, self.may = name, words.split(), is_done, may
        self.changes, self.template = changes, template


def nothing(before, after, words):
    return False


def only_server_sessions(before, after, words):
    """Only the sessions in the accounts database may differ; the state of profiles is unchanged."""
    return before.parts()[:-1] == after.parts()[:-1]


def logged_in(before, after):
    return before.sessions["default"] != after.sessions.get("default") is not None


def logged_out(before, after):
    return "default" not in after.sessions


def forgot_half(before, after, words):
    """The session may be revoked, deleted or both, because a failing logout removes as much as possible."""
    return before.profiles == after.profiles and before.users == after.users


def signed_up(before, after):
    return "bob" in after.users and after.user_of("default") == "bob"


def created_only(before, after, words):
    """The account may exist, but its session is not saved."""
    kept = before.sessions == after.sessions and before.profiles == after.profiles
    return kept and (before.users == after.users or "bob" in after.users and "was created" in words)


def password_changed(before, after):
    return before.users != after.users and list(before.users) == list(after.users)


def password_changed_only(before, after, words):
    return before.users == after.users and before.sessions == after.sessions or "password was changed" in words


def removed(before, after):
    return "one" not in after.profiles and "one" not in after.sessions


def session_removed(before, after, words):
    """The sessions are deleted first, then the choice, then the profile."""
    return "one" not in after.sessions and before.profiles == after.profiles and (
        "deleted the session" in words or "was removed" in words)


COMMANDS = [
    Swept("login", "login ada", logged_in, only_server_sessions, ["default"]),
    Swept("logout", "logout", logged_out, forgot_half, ["default"]),
    Swept("signup", "signup bob", signed_up, created_only, ["default"]),
    Swept("signup, first", "signup bob", signed_up, created_only, ["default"], template="empty"),
    Swept("password change", "password change", password_changed, password_changed_only, ["default"]),
    Swept("profile add", "profile add four --backend local", lambda _, after: "four" in after.profiles, nothing),
    Swept(
        "profile add, first", "profile add four --backend local", lambda _, after: "four" in after.profiles, nothing,
        template="empty"),
    Swept(
        "profile set", "profile set one facebookAppId 12345",
        lambda _, after: after.profiles["one"].get("facebookAppId") == "12345", nothing),
    Swept("profile use", "profile use two", lambda _, after: after.current == "two", nothing),
    Swept("profile use, again", "profile use two", lambda _, after: after.current == "two", nothing, template="chosen"),
    Swept("profile remove", "profile remove one --force", removed, session_removed, ["one"]),
    Swept(
        "profile remove, current", "profile remove one --force", removed, session_removed, ["one"], template="chosen"),
]


def templates():
    """The initial states: an empty home, one with three logged-in profiles, and one with a chosen profile as well."""
    empty, usual = World(), World()
    for name in ["one", "two"]:
        usual.must("profile", "add", name, "--backend", "local")
    usual.must("signup", "ada")
    for name in ["one", "two"]:
        usual.must("login", "ada", "-p", name)
    chosen = World(usual)
    chosen.must("profile", "use", "one")
    return {"empty": empty, "usual": usual, "chosen": chosen}
