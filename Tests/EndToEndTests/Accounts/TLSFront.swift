import Foundation
import TestSupport

/// nginx as a TLS proxy in front of `serve`, with a certificate of the test authority.
final class TLSFront {
    let origin: String
    private let program: RunningProgram

    init(of server: ServingProgram) throws {
        let world = server.world
        let folder = "\(world.root)/front"
        // nginx cannot pick a free port itself, so several random ports are tried.
        for port in (0..<20).map({ _ in Int.random(in: 20_000..<32_000) }) {
            try world.write(Self.configuration(folder, port, server), to: "\(folder)/nginx.conf")
            let program = try world.start(
                ["-p", folder, "-e", "\(folder)/errors", "-c", "\(folder)/nginx.conf"],
                program: ["/usr/bin/env", "nginx"])
            if try Self.isUp(program, port, world) {
                self.program = program
                origin = "https://localhost:\(port)"
                return
            }
        }
        throw POSIXError(.EADDRINUSE)
    }

    /// Waits until nginx accepts connections; `false` if nginx exits, for example because the port is in use.
    private static func isUp(_ program: RunningProgram, _ port: Int, _ world: Sandbox) throws -> Bool {
        let script = """
            for i in $(seq 250); do
                curl -sk -o /dev/null https://localhost:\(port)/ && exec kill -0 \(program.process)
                grep -qs '^State:.Z' /proc/\(program.process)/status && exit 1
                sleep 0.02
            done
            exit 1
            """
        return try world.runScript(script).exitCode == 0
    }

    private static func configuration(_ folder: String, _ port: Int, _ server: ServingProgram) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        return """
            daemon off; master_process off; pid \(folder)/pid; worker_processes 1; events {}
            http {
                access_log off; \(temporary.joined(separator: " "))
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    server_name localhost;
                    ssl_certificate \(TestAuthority.path("good"));
                    ssl_certificate_key \(TestAuthority.path("good"));
                    location / { proxy_pass http://127.0.0.1:\(server.port); }
                }
            }

            """
    }
}
