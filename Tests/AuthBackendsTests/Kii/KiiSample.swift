/// Errors in the formats that Kii documents.
enum KiiSample {
    static func error(_ code: String) -> String {
        #"{"errorCode":"\#(code)","message":"words of the server","suppressed":[]}"#
    }

    static func oauth(_ code: String) -> String {
        #"{"errorCode":"\#(code)","error":"\#(code)","error_description":"words of the server"}"#
    }
}
