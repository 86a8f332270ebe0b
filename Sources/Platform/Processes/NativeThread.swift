import LibC

/// A thread of the system, for work that nothing else can do meanwhile.
///
/// Swift's own concurrency would start its threads in every process that is linked with its first `await`.
package struct NativeThread: Sendable {
    /// A `pthread_t` as a number, which it is on Linux; on macOS it is a pointer, but one that any thread may join.
    private let handle: UInt

    /// Starts it.
    ///
    /// - Returns: `nil` if the system has no thread left.
    package init?(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(ThreadBody(run: body))
        #if canImport(Glibc)
            var handle = pthread_t()
        #else
            var handle: pthread_t?
        #endif
        guard pthread_create(&handle, nil, threadMain, context.toOpaque()) == 0 else {
            context.release()
            return nil
        }
        #if canImport(Glibc)
            self.handle = handle
        #else
            guard let handle else { return nil }
            self.handle = UInt(bitPattern: handle)
        #endif
    }

    /// Waits for its end.
    package func join() {
        #if canImport(Glibc)
            pthread_join(handle, nil)
        #else
            // A null pointer was refused when the thread began.
            if let handle = pthread_t(bitPattern: handle) { pthread_join(handle, nil) }
        #endif
    }
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

#if canImport(Glibc)
    private let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        context.map { Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().run() }
        return nil
    }
#else
    private let threadMain: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
#endif
