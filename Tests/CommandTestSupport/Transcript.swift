#if canImport(Testing)
    package import AuthModel
    import MessageSnapshots
    import Platform
    package import Testing

    extension TestContext.Result {
        /// The run as a terminal would show it: command line, prompts, stdout, stderr, exit code unless it is 0.
        ///
        /// A line `--- stderr` precedes standard error if there is standard output, or if standard error does not start
        /// with `authctl: `. Control characters in the command line are escaped.
        package var transcript: String {
            let commandLine = (["authctl"] + words).map(\.shellQuoted).joined(separator: " ").withoutControlCharacters
            var lines = ["$ \(commandLine)"] + prompts
            if !stdout.isEmpty { lines.append(stdout.withoutLastLineEnd) }
            if !stderr.isEmpty {
                if !stdout.isEmpty || !stderr.hasPrefix("authctl: ") { lines.append("--- stderr") }
                lines.append(stderr.withoutLastLineEnd)
            }
            if exitCode != 0 { lines.append("exit \(exitCode)") }
            return lines.joined(separator: "\n")
        }

        /// Compares the run with the section of the running test in `Tests/Messages/commands/FILE.txt`.
        package func expectTranscript(
            in file: String, _ situation: String? = nil, replacing words: [String: String] = [:],
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let text = words.reduce(transcript) { $0.replacing($1.key, with: $1.value) }
            MessageFile("commands/" + file).expect(text, situation, sourceLocation: sourceLocation)
        }

        /// Checks that a failed run has `exitCode` and no standard output. Compares its standard error with the section
        /// of the running test.
        ///
        /// - Parameter situation: the heading of these lines in the section.
        package func expectErrors(
            in file: String, _ situation: String, exitCode: Int32 = 2, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(stdout == "" && self.exitCode == exitCode, sourceLocation: sourceLocation)
            let lines = stderr.split(separator: "\n").map { $0.trimmingPrefix("authctl: ") }
            MessageFile("commands/" + file).expect(
                lines.joined(separator: "\n"), situation, sourceLocation: sourceLocation)
        }
    }

    extension TestContext {
        /// Runs command lines that fail, and compares their errors with the section that `expectTranscript` names.
        ///
        /// The section has one line for each command line: `login --otp 1: the cause; the hint`.
        package func expectErrors(
            in file: String, of lines: [[String]], exitCode: Int32 = 2, stdin: String? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let rows = lines.map { words in
                let result = run(words: words, stdin: stdin)
                let name = words.map(\.shellQuoted).joined(separator: " ").withoutControlCharacters
                #expect(result.stdout == "" && result.exitCode == exitCode, "\(name)", sourceLocation: sourceLocation)
                let errors = result.stderr.split(separator: "\n").map {
                    $0.replacing(#/^authctl: (?:error|hint): /#, with: "")
                }
                return "\(name): \(errors.joined(separator: "; "))"
            }
            MessageFile("commands/" + file).expect(rows.joined(separator: "\n"), sourceLocation: sourceLocation)
        }
    }

    extension AuthError {
        /// The reason and the message, then one indented line for each field, hint and fact.
        ///
        /// - Parameter source: where the error came from, shown after the reason.
        package func snapshot(of source: String? = nil) -> String {
            let lines =
                ["\(reason.rawValue)\(source.map { " (\($0))" } ?? ""): \(message)"]
                + fields.map { "  field \($0.field): \($0.message)" } + hints.map { "  hint: \($0)" }
                + (fact.map { ["  fact \($0)"] } ?? [])
            return lines.joined(separator: "\n")
        }

        /// The snapshot on one line.
        package var snapshotLine: String {
            snapshot().split(separator: "\n").map { $0.trimmingPrefix("  ") }.joined(separator: "; ")
        }

        /// Compares the error with the section of the running test in `Tests/Messages/FILE.txt`.
        ///
        /// - Parameter words: replacements for texts that differ between runs, such as `[folder.path: "/folder"]`.
        package func expectMessage(
            in file: String, _ situation: String? = nil, replacing words: [String: String] = [:],
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let text = words.reduce(snapshot()) { $0.replacing($1.key, with: $1.value) }
            MessageFile(file).expect(text, situation, sourceLocation: sourceLocation)
        }
    }

    extension String {
        fileprivate var withoutLastLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }

        fileprivate var withoutControlCharacters: String {
            unicodeScalars.map { $0.properties.generalCategory == .control ? $0.escaped(asASCII: true) : String($0) }
                .joined()
        }
    }
#endif
