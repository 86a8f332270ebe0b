// The C library under one module name. `@_exported` is required, because `public import` does not re-export symbols.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif
