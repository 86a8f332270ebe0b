/// Something that a profile can say of the servers of one kind of backend.
package struct BackendSetting: Sendable, Equatable {
    /// What a value must be.
    package enum Form: Sendable, Equatable {
        /// A path below the base URL, without a slash before it: `facebook/connect/`.
        case path
    }

    /// The key in a profile: `facebookPath`.
    package let key: String
    package let form: Form
    /// What holds where a profile says nothing.
    package let standard: String
    /// Half a sentence for help.
    package let summary: String

    package init(_ key: String, _ form: Form, standard: String, summary: String) {
        self.key = key
        self.form = form
        self.standard = standard
        self.summary = summary
    }
}
