#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread of the system, for work that nothing else can do meanwhile.
///
/// Swift's own concurrency would start its threads in every process that is linked with its first `await`.
///
/// `@unchecked`: the handle is one that the system lets any thread join; on some systems the compiler sees a pointer.
package struct NativeThread: @unchecked Sendable {
    private let handle: pthread_t

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
            self.handle = handle
        #endif
    }

    /// Waits for its end.
    package func join() {
        pthread_join(handle, nil)
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
