import TestSupport
import Testing

/// What people with Facebook identities do at a site; see `graph.py` for who they are.
extension Sandbox {
    func logIn(facebook token: String, _ more: String...) throws -> Finished {
        try start(["login", "--facebook", "--token-stdin"] + more, input: "\(token)\n").wait()
    }

    func link(facebook token: String, _ more: String...) throws -> Finished {
        try start(["link-facebook", "--token-stdin"] + more, input: "\(token)\n").wait()
    }

    /// The answer to `link-facebook` with these words: linked, changed, id.
    func linkState(_ finished: Finished) throws -> LinkState {
        let document = try finished.document()
        return LinkState(document.flag("linked"), document.flag("changed"), document.string("facebookId"))
    }

    func status() throws -> LinkState { try linkState(try run("link-facebook", "--status", "--json")) }

    /// The files below the home folder that hold a text.
    func files(holding text: String) -> [String] {
        snapshot().filter { String(decoding: $0.value, as: UTF8.self).contains(text) }.map(\.key).sorted()
    }
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
