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
