extension Duration {
    /// Whole milliseconds, rounded towards zero; beyond `Int64`, its smallest or largest value.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isStillTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isTooLong || isStillTooLong ? (seconds < 0 ? .min : .max) : sum
    }

    /// `10 s` for whole seconds, else `300 ms`.
    package var text: String {
        let milliseconds = milliseconds
        let isWholeSeconds = milliseconds != 0 && milliseconds % 1000 == 0
        return isWholeSeconds ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
