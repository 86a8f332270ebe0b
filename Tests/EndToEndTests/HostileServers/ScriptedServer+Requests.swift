import TestSupport

extension [ScriptedServer.Request] {
    /// The requests whose path starts with this path.
    func below(_ path: String) -> [ScriptedServer.Request] { filter { $0.target.hasPrefix("\(path)/") } }

    func to(_ listener: Int) -> [ScriptedServer.Request] { filter { $0.listener == listener } }
}

extension ScriptedServer.Request {
    /// Whether the request has a header field of this name.
    func has(_ field: String) -> Bool { fields.contains { $0.lowercased().hasPrefix("\(field.lowercased()):") } }
}
