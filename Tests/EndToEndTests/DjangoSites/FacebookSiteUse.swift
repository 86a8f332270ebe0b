import TestSupport
import Testing

/// Facebook commands; see `graph_people.py` for the test users.
extension Sandbox {
    func logIn(facebook token: String, _ more: String...) throws -> Finished {
        try start(["login", "--facebook", "--token-stdin"] + more, input: "\(token)\n").wait()
    }

    func link(facebook token: String, _ more: String...) throws -> Finished {
        try start(["link-facebook", "--token-stdin"] + more, input: "\(token)\n").wait()
    }

    /// The members `linked`, `changed` and `facebookId` of the JSON document that `link-facebook` prints.
    func linkState(_ finished: Finished) throws -> LinkState {
        let document = try finished.document()
        return LinkState(document.flag("linked"), document.flag("changed"), document.string("facebookId"))
    }

    func status() throws -> LinkState { try linkState(try run("link-facebook", "--status", "--json")) }
}

struct LinkState: Equatable {
    let isLinked: Bool?
    let hasChanged: Bool?
    let id: String?

    init(_ isLinked: Bool?, _ hasChanged: Bool?, _ id: String?) {
        self.isLinked = isLinked
        self.hasChanged = hasChanged
        self.id = id
    }
}
