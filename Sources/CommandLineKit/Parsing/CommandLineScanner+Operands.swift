extension CommandLineScanner {
    /// Gives operands to the arguments they stand for, in order.
    ///
    /// The words after `--` are operands like others, unless the command keeps them as its remainder.
    func operandAssignments(
        _ operands: [String], afterDashes: ArraySlice<String>
    ) throws(CommandLineError) -> [Assignment] {
        let keepsRemainder = known.contains { $0.kind == .remainder }
        var waiting = keepsRemainder ? operands[...] : operands + afterDashes
        var assignments: [Assignment] = []
        for (index, argument) in known.enumerated() {
            switch argument.kind {
            case .operand(let minimum, let isList):
                let taken = isList ? waiting : waiting.prefix(1)
                guard taken.count >= minimum else { throw .misuse("missing argument \(argument.name)", path: path) }
                assignments += taken.map { Assignment(index: index, value: $0) }
                waiting.removeFirst(taken.count)
            case .remainder:
                guard !afterDashes.isEmpty else { throw .misuse("missing \(argument.name) after '--'", path: path) }
                assignments += afterDashes.map { Assignment(index: index, value: $0) }
            case .flag, .option, .refused:
                break
            }
        }
        if let extra = waiting.first { throw unexpected(extra, keepsRemainder) }
        return assignments
    }

    /// Where a command takes secrets in other ways, an argument too many is often one: it is not repeated.
    private func unexpected(_ word: String, _ isPartOfCommand: Bool) -> CommandLineError {
        if isPartOfCommand { return .misuse("unexpected argument '\(word)'", path: path) }
        let last = known.last { argument in
            if case .operand = argument.kind { true } else { false }
        }
        let place = last.map { " after \($0.name)" } ?? ": '\(path)' takes none"
        return .misuse("unexpected argument\(place)", path: path)
    }
}
