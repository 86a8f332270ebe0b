import TestSupport

extension [ScriptedServer.Request] {
    func below(_ path: String) -> [ScriptedServer.Request] { filter { $0.target.hasPrefix("\(path)/") } }

    func to(_ listener: Int) -> [ScriptedServer.Request] { filter { $0.listener == listener } }
}

extension ScriptedServer.Request {
    func has(_ field: String) -> Bool { fields.contains { $0.lowercased().hasPrefix("\(field.lowercased()):") } }
}
