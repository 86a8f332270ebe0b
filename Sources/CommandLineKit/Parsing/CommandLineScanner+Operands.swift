extension CommandLineScanner {
    /// Assigns operands to arguments by position.
    ///
    /// Words after `--` are also operands, unless the command declares a remainder.
    func operandAssignments(
        _ operands: [String], afterDashes: ArraySlice<String>
    ) throws(CommandLineError) -> [Assignment] {
        let keepsRemainder = known.contains { $0.isRemainder }
        // A remainder takes the words after `--`, and `scan` has already rejected any operand before the `--`.
        var waiting = keepsRemainder ? [] : (operands + afterDashes)[...]
        var assignments: [Assignment] = []
        for (index, argument) in known.enumerated() {
            switch argument.kind {
            case .operand(let minimum, let isList):
                let taken = isList ? waiting : waiting.prefix(1)
                guard taken.count >= minimum else { throw .misuse("missing argument \(argument.name)", path: path) }
                assignments += taken.map { Assignment(index: index, value: $0) }
                waiting.removeFirst(taken.count)
            case .remainder(let isRequired):
                if !isRequired, !hasDashes { break }
                guard !afterDashes.isEmpty else { throw .misuse("missing \(argument.name) after '--'", path: path) }
                assignments += afterDashes.map { Assignment(index: index, value: $0) }
            case .flag, .option, .refused:
                break
            }
        }
        if !waiting.isEmpty { throw unexpectedOperand }
        return assignments
    }

    /// The message does not repeat the operand, which is often a secret that belongs in a file or on standard input.
    private var unexpectedOperand: CommandLineError {
        let last = known.last { argument in
            if case .operand = argument.kind { true } else { false }
        }
        let place = last.map { " after \($0.name)" } ?? ": '\(path)' takes none"
        return .misuse("unexpected argument\(place)", path: path)
    }
}
