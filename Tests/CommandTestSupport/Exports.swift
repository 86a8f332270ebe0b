// Test files import one module of support, which brings Testing, `expect`, the message snapshots and the modules of most
// types in its own interface.
@_exported public import AuthModel
@_exported public import Expectations
@_exported public import JSON
@_exported public import MessageSnapshots
@_exported public import Transport
