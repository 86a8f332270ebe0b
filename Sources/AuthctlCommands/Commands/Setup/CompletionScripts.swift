/// The completion scripts. Each passes the words up to the cursor to `authctl __complete`, and shows its answer.
enum CompletionScripts {
    // swift-format-ignore
    static let bash = #"""
        # Completes authctl in bash 3.2 and later; printed by 'authctl completion bash'.
        _authctl() {
            local rest=${COMP_LINE:0:COMP_POINT} line=() dashes=0 index last word kept answer
            COMPREPLY=()
            # Join the words that bash split at = and :.
            for ((index = 0; index <= COMP_CWORD; index++)); do
                [[ $index == 0 || $rest == [[:blank:]]* ]] && last=${#line[@]}
                rest=${rest#"${rest%%[![:blank:]]*}"}
                word=${COMP_WORDS[index]}
                ((index < COMP_CWORD)) || word=$rest
                rest=${rest#"$word"}
                line[last]=${line[last]-}$word
                [[ $word != -- ]] || ((dashes)) || dashes=$index
            done
            # bash replaces the text after the last = or :, or from the last @ on, so candidates must not repeat what precedes it.
            [[ $word == *[!=:]* ]] || word=
            kept=${line[last]%"$word"}
            [[ $word != *@* || $COMP_WORDBREAKS != *@* ]] || kept=${line[last]%@*}
            unset "line[0]"
            answer=$(command authctl __complete bash -- "${line[@]//[\\\"\']/}" </dev/null 2>/dev/null)
            case $answer in
                none | '') ;;
                files) compopt -o default 2>/dev/null || _authctl_paths -f "$word" ;;
                folders) compopt -o dirnames 2>/dev/null || _authctl_paths -d "$word" ;;
                command)
                    if declare -F _comp_command_offset >/dev/null; then _comp_command_offset $((dashes + 1))
                    elif declare -F _command_offset >/dev/null; then _command_offset $((dashes + 1))
                    elif ((dashes + 1 == COMP_CWORD)); then _authctl_paths -c "$word"
                    else compopt -o default 2>/dev/null || _authctl_paths -f "$word"
                    fi ;;
                *) while IFS=$'\t' read -r word _; do COMPREPLY+=("${word#"$kept"}"); done <<<"$answer" ;;
            esac
        }

        _authctl_paths() {
            local IFS=$'\n'
            COMPREPLY=($(compgen "$1" -- "$2"))
        }

        complete -F _authctl authctl

        """#

    // swift-format-ignore
    static let zsh = #"""
        #compdef authctl
        # Completes authctl in zsh; printed by 'authctl completion zsh'.
        _authctl() {
            local -a answer
            answer=("${(@f)$(command authctl __complete zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" </dev/null 2>/dev/null)}")
            case $answer[1] in
                none | '') return 1 ;;
                files | folders)
                    [[ $PREFIX != --*=* ]] || compset -P '*='
                    if [[ $answer[1] == files ]]; then _files; else _files -/; fi ;;
                command)
                    local dashes=$words[(i)--]
                    words=("${(@)words[dashes+1,-1]}")
                    ((CURRENT -= dashes))
                    _normal ;;
                *)
                    # _describe reads NAME:DESCRIPTION.
                    answer=("${(@)answer//(#m)[\\:]/\\$MATCH}")
                    answer=("${(@)${(@)answer%$'\t'}/$'\t'/:}")
                    compstate[list]=list
                    _describe candidate answer ;;
            esac
        }

        if [[ $funcstack[1] == _authctl ]]; then _authctl "$@"; else compdef _authctl authctl; fi

        """#

    // swift-format-ignore
    static let fish = #"""
        # Completes authctl in fish 3.1 and later; printed by 'authctl completion fish'.
        function __authctl_complete
            set -l words (commandline -opc)
            set -e words[1]
            set -l typed (commandline -ct)
            set -l option (string match -r -- '^--[^=]*=' "$typed")
            set -l answer (command authctl __complete fish -- $words "$typed" </dev/null 2>/dev/null)
            switch "$answer"
                case none ''
                case files
                    printf '%s\n' "$option"(__fish_complete_path (string replace -- "$option" '' "$typed"))
                case folders
                    printf '%s\n' "$option"(__fish_complete_directories (string replace -- "$option" '' "$typed") '')
                case command
                    set -e words[1..(contains -i -- -- $words)]
                    complete -C (string join ' ' -- (string escape -- $words) "$typed")
                case '*'
                    printf '%s\n' $answer
            end
        end

        complete -c authctl -f -a '(__authctl_complete)'

        """#
}
