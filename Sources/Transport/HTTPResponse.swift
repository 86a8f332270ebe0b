#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One whole response.
package struct HTTPResponse: Sendable, Equatable {
    /// 100 to 599.
    package var status: Int
    package var headers: HTTPHeaders
    /// Decoded; empty where there was none.
    package var body: Data

    package init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
