// The C library under one name. `@_exported`, because `public import` alone does not reexport symbols.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif
