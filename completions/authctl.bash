# Completes authctl in bash; made by 'authctl completion bash'.

# What can stand at the place $1.
_authctl_words() {
    case $1 in
        '') words='signup login logout whoami link-facebook sessions password verify-email token exec profile completion help version serve' ;;
        'sessions') words='list revoke' ;;
        'password') words='change reset' ;;
        'profile') words='list show add set use remove' ;;
        'help') words='signup login logout whoami link-facebook sessions password verify-email token exec profile completion help version serve environment exit-codes json files security' ;;
        'help sessions') words='list revoke' ;;
        'help password') words='change reset' ;;
        'help profile') words='list show add set use remove' ;;
        *) words= ;;
    esac
}

# The options at the place $1, but for those of every place.
_authctl_options() {
    case $1 in
        '') options='--version' ;;
        'signup') options='--email --phone --password-stdin --password-file --field --field-json --no-login --skip-checks' ;;
        'login') options='--password-stdin --password-file --otp --token-stdin --token-file --facebook --id-token-stdin --id-token-file --facebook-id --permission --fill-user --anonymous' ;;
        'logout') options='--all-profiles --offline' ;;
        'whoami') options='--offline' ;;
        'link-facebook') options='--token-stdin --token-file --id-token-stdin --id-token-file --facebook-id --permission --fill-user --unlink --force --revoke --status' ;;
        'sessions revoke') options='--others --all' ;;
        'password change') options='--password-stdin --password-file --new-password-file' ;;
        'verify-email') options='--email --key' ;;
        'exec') options='--set' ;;
        'profile add') options='--from' ;;
        'profile remove') options='--force' ;;
        'serve') options='--port --database --mail-dir --allow-origin --facebook-app-id --facebook-app-secret-file' ;;
        *) options= ;;
    esac
}

# How the value of option $2 is completed at the place $1; fails if it takes none.
_authctl_option() {
    case $1/$2 in
        'signup/--email') value='none' ;;
        'signup/--phone') value='none' ;;
        'signup/--password-file') value='files' ;;
        'signup/--field') value='none' ;;
        'signup/--field-json') value='none' ;;
        'login/--password-file') value='files' ;;
        'login/--otp') value='none' ;;
        'login/--token-file') value='files' ;;
        'login/--id-token-file') value='files' ;;
        'login/--facebook-id') value='none' ;;
        'login/--permission') value='none' ;;
        'link-facebook/--token-file') value='files' ;;
        'link-facebook/--id-token-file') value='files' ;;
        'link-facebook/--facebook-id') value='none' ;;
        'link-facebook/--permission') value='none' ;;
        'password change/--password-file') value='files' ;;
        'password change/--new-password-file') value='files' ;;
        'verify-email/--email') value='none' ;;
        'verify-email/--key') value='none' ;;
        'exec/--set') value='none' ;;
        'profile add/--from') value='live profiles' ;;
        'serve/--port') value='none' ;;
        'serve/--database') value='files' ;;
        'serve/--mail-dir') value='folders' ;;
        'serve/--allow-origin') value='none' ;;
        'serve/--facebook-app-id') value='none' ;;
        'serve/--facebook-app-secret-file') value='files' ;;
        */-p | */--profile) value='live profiles' ;;
        */--backend) value='words local parse back4app rest-auth dj-rest-auth allauth kii' ;;
        */--server) value='none' ;;
        */--app-id) value='none' ;;
        */--client-key-file) value='files' ;;
        */--output) value='words text json' ;;
        */--color) value='words auto always never' ;;
        */--timeout) value='none' ;;
        */--connect-timeout) value='none' ;;
        */--ca-cert) value='files' ;;
        */--proxy) value='none' ;;
        *) return 1 ;;
    esac
}

# How operand number $2 is completed at the place $1.
_authctl_operand() {
    case $1/$2 in
        'signup/'0) value='none' ;;
        'login/'0) value='none' ;;
        'sessions revoke/'*) value='none' ;;
        'password reset/'0) value='none' ;;
        'exec/'*) value='command' ;;
        'profile show/'0) value='live profiles' ;;
        'profile add/'0) value='none' ;;
        'profile set/'0) value='live profiles' ;;
        'profile set/'1) value='words backend server appId clientKeyFile allowHttp facebookAppId facebookClientTokenFile facebookGraphVersion registrationPath secondFactorPath facebookPath facebookConnectPath socialAccountsPath' ;;
        'profile set/'2) value='none' ;;
        'profile use/'0) value='live profiles' ;;
        'profile remove/'0) value='live profiles' ;;
        'completion/'0) value='words bash zsh fish' ;;
        *) return 1 ;;
    esac
}

# Whether word $2 is an option at the place $1 whose value is the next word; of several letters, the last.
_authctl_wants_value() {
    case $2 in
        --*) _authctl_option "$1" "$2"; return ;;
    esac
    local letters=${2#-} letter
    while [[ $letters ]]; do
        letter=${letters:0:1}
        letters=${letters:1}
        _authctl_option "$1" "-$letter" && { [[ ! $letters ]]; return; }
    done
    return 1
}

# Puts together again what bash parted at = and : as far as the cursor.
_authctl_split() {
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
_authctl_offer() {
    local typed=$1 word
    shift
    for word; do
        [[ $word == "$typed"* ]] && COMPREPLY[${#COMPREPLY[@]}]=$before$word
    done
}

# Offers values for the text $1; the words of how are taken apart on purpose.
_authctl_complete() {
    case $value in
        words\ *) _authctl_offer "$1" ${value#words } ;;
        live\ *) _authctl_offer "$1" $(command authctl __complete "${value#live }" </dev/null 2>/dev/null) ;;
        files) compopt -o default 2>/dev/null || _authctl_paths -f "$1" ;;
        folders) compopt -o dirnames 2>/dev/null || _authctl_paths -d "$1" ;;
        command) _authctl_command "$1" ;;
    esac
}

# Where bash cannot do it by itself.
_authctl_paths() {
    local IFS=$'\n'
    COMPREPLY=($(compgen "$1" -- "$2"))
}

# Another program: its name, then its arguments, as it has them completed itself.
_authctl_command() {
    local start=${starts[dashes + 1]}
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$start"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$start"
    elif ((start == COMP_CWORD)); then
        _authctl_paths -c "$1"
    else
        value=files
        _authctl_complete "$1"
    fi
}

_authctl() {
    COMPREPLY=()
    local IFS=$' \t\n' line=() starts=() place= words= options= value= before= word index
    local operands=0 dashes=0 wanted=
    _authctl_split
    local last=$((${#line[@]} - 1))
    local typed=${line[last]}

    _authctl_words ''
    for ((index = 1; index < last; index++)); do
        word=${line[index]}
        case $word in
            --) dashes=$index; break ;;
            --*=*) ;;
            -?*) _authctl_wants_value "$place" "$word" && ((++index == last)) && wanted=1 ;;
            *)
                if ((operands == 0)) && [[ " $words " == *" $word "* ]]; then
                    place+=${place:+ }$word
                    _authctl_words "$place"
                else
                    operands=$((operands + 1))
                fi
                ;;
        esac
    done

    if [[ $wanted ]]; then
        _authctl_complete "$typed"
        return
    fi
    _authctl_options "$place"
    options+=' -p --profile --backend --server --app-id --client-key-file --allow-http --output --json -q --quiet -v --verbose --color --no-input --timeout --connect-timeout --ca-cert --proxy -h --help'
    if ((dashes)); then
        operands=$((operands + last - dashes - 1))
    elif [[ $typed == --*=* ]]; then
        [[ $COMP_WORDBREAKS == *=* ]] || before=${typed%%=*}=
        _authctl_option "$place" "${typed%%=*}" && _authctl_complete "${typed#*=}"
        return
    elif [[ $typed == -* ]]; then
        _authctl_offer "$typed" $options
        return
    elif [[ $words ]]; then
        _authctl_offer "$typed" $words
        return
    fi
    if _authctl_operand "$place" "$operands"; then
        if [[ $value != command ]] || ((dashes)); then
            _authctl_complete "$typed"
        elif [[ ! $typed ]]; then
            _authctl_offer "$typed" -- $options
        fi
    elif [[ ! $typed && $dashes == 0 ]]; then
        _authctl_offer "$typed" $options
    fi
}

complete -F _authctl authctl
