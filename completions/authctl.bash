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
