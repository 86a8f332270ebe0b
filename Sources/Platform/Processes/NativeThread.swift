import LibC

/// A POSIX thread.
///
/// Not a Swift task, because the first `await` would start a thread pool.
package struct NativeThread: Sendable {
    /// The `pthread_t`: a number on Linux, a pointer on macOS. Any thread may join the thread.
    private let handle: UInt

    /// Starts a detached thread.
    ///
    /// - Returns: `false` if the system cannot create another thread.
    package static func start(stackSize: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = NativeThread(stackSize: stackSize, body) else { return false }
        #if canImport(Glibc)
            pthread_detach(thread.handle)
        #else
            if let handle = pthread_t(bitPattern: thread.handle) { pthread_detach(handle) }
        #endif
        return true
    }

    /// - Parameter stackSize: in bytes. macOS's default, 512 KiB, is too small for deeply nested JSON in a debug build.
    /// - Returns: `nil` if the system cannot create another thread.
    package init?(stackSize: Int = 8 << 20, _ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(ThreadBody(run: body))
        #if canImport(Glibc)
            var handle = pthread_t()
        #else
            var handle: pthread_t?
        #endif
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        guard pthread_create(&handle, &attributes, threadMain, context.toOpaque()) == 0 else {
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

    /// Waits until the thread ends.
    package func join() {
        #if canImport(Glibc)
            pthread_join(handle, nil)
        #else
            // The pointer is never null, because `init` rejects a null pointer.
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
