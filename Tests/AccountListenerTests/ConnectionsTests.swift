import Testing

@testable import AccountListener

@Suite struct ConnectionsTests {
    private let connections = Connections()
    /// No descriptors of this process have these numbers, so that a shutdown has no effect.
    private let sockets = (100_000..<100_033).map(Int32.init)

    @Test func `a body beyond 32 MiB of bodies in progress is rejected until one of their connections is closed`() {
        for socket in sockets {
            connections.open(socket)
            connections.enter(.receiving, socket)
        }
        #expect(sockets.dropLast().allSatisfy { connections.add(1 << 20, $0) })
        let last = sockets[32]
        #expect(!connections.add(1, last))
        connections.closed(sockets[0])
        #expect(connections.add(1 << 20, last))
    }
}
