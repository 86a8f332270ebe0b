import CurlTransport
import Foundation
import TestSupport
import Transport

extension LibcurlTransport {
    /// One that gives up early, as tests must.
    static func impatient(_ milliseconds: Int = 5000, authorities: String? = nil, proxy: String? = nil)
        -> LibcurlTransport
    {
        LibcurlTransport(
            NetworkSettings(
                timeLimit: .milliseconds(milliseconds), connectLimit: .milliseconds(milliseconds),
                authorities: authorities, proxy: proxy))
    }

    /// Why there is no answer; `nil` if there is one.
    func failure(_ request: HTTPRequest) -> TransportError? {
        do throws(TransportError) {
            _ = try send(request)
            return nil
        } catch {
            return error
        }
    }
}

extension Collection<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}
