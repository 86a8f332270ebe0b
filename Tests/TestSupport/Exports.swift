// Test files import one module of support, which brings Testing, `expect` and the message snapshots.
@_exported public import Expectations
@_exported public import MessageSnapshots
