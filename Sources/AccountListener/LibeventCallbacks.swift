import CLibevent

// C functions that libevent calls, with the listener as their context.

private func listener(_ context: UnsafeMutableRawPointer?) -> HTTPListener? {
    context.map { Unmanaged<HTTPListener>.fromOpaque($0).takeUnretainedValue() }
}

func requestReceived(_ request: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    if let request { listener(context)?.handle(request) }
}

func connectionOpened(_ base: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> OpaquePointer? {
    listener(context)?.newConnection()
}

func connectionClosed(_ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    if let connection { listener(context)?.closed(connection) }
}

func hashDone(_ descriptor: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.collectHashes()
}

func fetchDone(_ descriptor: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.collectFetches()
}

func stopRequested(_ signal: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.end()
}

func childEnded(_ signal: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.endIfChildIsOver()
}

func delayPassed(_ descriptor: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.resumeDelayed()
}

func retryTimePassed(_ descriptor: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.retryLocked()
}

func turnEnded(_ descriptor: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.resumeInterrupted()
}

func acceptPauseEnded(_ descriptor: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.endAcceptPause()
}

func secondPassed(_ descriptor: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.sweep()
}

func shutdownTimePassed(_ descriptor: Int32, _ kind: Int16, _ context: UnsafeMutableRawPointer?) {
    listener(context)?.continueShutdown()
}

/// The context is the connection.
func responseSent(_ request: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    guard let request, let context else { return }
    Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().responseSent(request)
}

/// `accept` failed, most likely because no file descriptors are left. libevent would retry at once in an endless loop,
/// so `accept` is paused until the next sweep, at most one second.
func acceptFailed(_ acceptor: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    evconnlistener_disable(acceptor)
}
