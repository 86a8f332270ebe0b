/// The completion script for bash 3.2 and later, with or without the bash-completion package.
///
/// It starts no process except the program, to list live values.
package struct BashCompletion: Sendable {
    private let tree: CompletionTree

    package init(_ tree: CompletionTree) {
        self.tree = tree
    }

    /// The script, with a trailing newline.
    package var script: String {
        let lines =
            ["# Completes \(tree.program) in bash; made by '\(tree.program) completion bash'.", ""]
            + function("words", "What can stand at the place $1.", switching: "$1", words)
            + function(
                "options", "The options at the place $1, but for those of every place.", switching: "$1", options)
            + function(
                "option", "How the value of option $2 is completed at the place $1; fails if it takes none.",
                switching: "$1/$2", values)
            + function("operand", "How operand number $2 is completed at the place $1.", switching: "$1/$2", operands)
        return (lines + [Self.frame(tree)]).joined(separator: "\n")
    }

    private func function(_ name: String, _ comment: String, switching subject: String, _ cases: [String]) -> [String] {
        ["# \(comment)", "_\(tree.program)_\(name)() {", "    case \(subject) in"]
            + cases.map { "        \($0)" } + ["    esac", "}", ""]
    }

    private var words: [String] {
        tree.places.filter { !$0.words.isEmpty }.map { place in
            "'\(place.path)') words='\(place.words.map(\.term).joined(separator: " "))' ;;"
        } + ["*) words= ;;"]
    }

    private var options: [String] {
        tree.places.filter { !$0.options.isEmpty }.map { place in
            "'\(place.path)') options='\(place.options.flatMap(Self.spellings).joined(separator: " "))' ;;"
        } + ["*) options= ;;"]
    }

    private var values: [String] {
        let own = tree.places.flatMap { place in
            place.options.filter(\.takesValue).map { option in
                let patterns = Self.spellings(option).map { "'\(place.path)/\($0)'" }.joined(separator: " | ")
                return "\(patterns)) value='\(Self.value(option.completion))' ;;"
            }
        }
        let shared = tree.options.filter(\.takesValue).map { option in
            let patterns = Self.spellings(option).map { "*/\($0)" }.joined(separator: " | ")
            return "\(patterns)) value='\(Self.value(option.completion))' ;;"
        }
        return own + shared + ["*) return 1 ;;"]
    }

    private var operands: [String] {
        let known = tree.places.flatMap { place in
            place.operands.enumerated().map { index, operand in
                "'\(place.path)/'\(Self.number(index, operand))) value='\(Self.value(operand.completion))' ;;"
            }
        }
        return known + ["*) return 1 ;;"]
    }

    private static func number(_ index: Int, _ operand: ArgumentDescription) -> String {
        if case .operand(_, isList: false) = operand.kind { return "\(index)" }
        return "*"
    }

    static func spellings(_ option: ArgumentDescription) -> [String] {
        (option.short.map { ["-\($0)"] } ?? []) + [option.spelling]
    }

    private static func value(_ completion: ValueCompletion) -> String {
        switch completion {
        case .nothing, .commands: "none"
        case .files: "files"
        case .folders: "folders"
        case .words(let list): "words \(list.words.joined(separator: " "))"
        case .live(let list): "live \(list)"
        case .commandLine: "command"
        }
    }

    // swift-format-ignore
    private static func frame(_ tree: CompletionTree) -> String {
        let (name, shared) = (tree.program, tree.options.flatMap(spellings).joined(separator: " "))
        return """
            # Whether word $2 is an option at the place $1 whose value is the next word; of several letters, the last.
            _\(name)_wants_value() {
                case $2 in
                    --*) _\(name)_option "$1" "$2"; return ;;
                esac
                local letters=${2#-} letter
                while [[ $letters ]]; do
                    letter=${letters:0:1}
                    letters=${letters:1}
                    _\(name)_option "$1" "-$letter" && { [[ ! $letters ]]; return; }
                done
                return 1
            }

            # Puts together again what bash parted at = and : as far as the cursor.
            _\(name)_split() {
                local rest=${COMP_LINE:0:COMP_POINT} word index blanks
                for ((index = 0; index <= COMP_CWORD; index++)); do
                    blanks=${rest%%[![:blank:]]*}
                    rest=${rest#"$blanks"}
                    word=${COMP_WORDS[index]}
                    ((index == COMP_CWORD)) && word=$rest
                    rest=${rest#"$word"}
                    if ((index == 0)) || [[ $blanks ]]; then
                        line[${#line[@]}]=$word
                        starts[${#starts[@]}]=$index
                    else
                        line[${#line[@]} - 1]+=$word
                    fi
                done
            }

            # Offers those of the words from $2 on that begin with $1.
            _\(name)_offer() {
                local typed=$1 word
                shift
                for word; do
                    [[ $word == "$typed"* ]] && COMPREPLY[${#COMPREPLY[@]}]=$before$word
                done
            }

            # Offers values for the text $1; the words of how are taken apart on purpose.
            _\(name)_complete() {
                case $value in
                    words\\ *) _\(name)_offer "$1" ${value#words } ;;
                    live\\ *) _\(name)_offer "$1" $(command \(name) \(tree.lister) "${value#live }" </dev/null 2>/dev/null) ;;
                    files) compopt -o default 2>/dev/null || _\(name)_paths -f "$1" ;;
                    folders) compopt -o dirnames 2>/dev/null || _\(name)_paths -d "$1" ;;
                    command) _\(name)_command "$1" ;;
                esac
            }

            # Where bash cannot do it by itself.
            _\(name)_paths() {
                local IFS=$'\\n'
                COMPREPLY=($(compgen "$1" -- "$2"))
            }

            # Another program: its name, then its arguments, as it has them completed itself.
            _\(name)_command() {
                local start=${starts[dashes + 1]}
                if declare -F _comp_command_offset >/dev/null; then
                    _comp_command_offset "$start"
                elif declare -F _command_offset >/dev/null; then
                    _command_offset "$start"
                elif ((start == COMP_CWORD)); then
                    _\(name)_paths -c "$1"
                else
                    value=files
                    _\(name)_complete "$1"
                fi
            }

            _\(name)() {
                COMPREPLY=()
                local IFS=$' \\t\\n' line=() starts=() place= words= options= value= before= word index
                local operands=0 dashes=0 wanted=
                _\(name)_split
                local last=$((${#line[@]} - 1))
                local typed=${line[last]}

                _\(name)_words ''
                for ((index = 1; index < last; index++)); do
                    word=${line[index]}
                    case $word in
                        --) dashes=$index; break ;;
                        --*=*) ;;
                        -?*) _\(name)_wants_value "$place" "$word" && ((++index == last)) && wanted=1 ;;
                        *)
                            if ((operands == 0)) && [[ " $words " == *" $word "* ]]; then
                                place+=${place:+ }$word
                                _\(name)_words "$place"
                            else
                                operands=$((operands + 1))
                            fi
                            ;;
                    esac
                done

                if [[ $wanted ]]; then
                    _\(name)_complete "$typed"
                    return
                fi
                _\(name)_options "$place"
                options+=' \(shared)'
                if ((dashes)); then
                    operands=$((operands + last - dashes - 1))
                elif [[ $typed == --*=* ]]; then
                    [[ $COMP_WORDBREAKS == *=* ]] || before=${typed%%=*}=
                    _\(name)_option "$place" "${typed%%=*}" && _\(name)_complete "${typed#*=}"
                    return
                elif [[ $typed == -* ]]; then
                    _\(name)_offer "$typed" $options
                    return
                elif [[ $words ]]; then
                    _\(name)_offer "$typed" $words
                    return
                fi
                if _\(name)_operand "$place" "$operands"; then
                    if [[ $value != command ]] || ((dashes)); then
                        _\(name)_complete "$typed"
                    elif [[ ! $typed ]]; then
                        _\(name)_offer "$typed" -- $options
                    fi
                elif [[ ! $typed && $dashes == 0 ]]; then
                    _\(name)_offer "$typed" $options
                fi
            }

            complete -F _\(name) \(name)

            """
    }
}
