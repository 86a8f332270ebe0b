# Completes authctl in fish; made by 'authctl completion fish'.

# Where the cursor is: the words that lead there, how many operands follow, whether "--" stands before it.
function __authctl_place
    set -l places 'sessions' 'password' 'profile' 'signup' 'login' 'logout' 'whoami' 'link-facebook' 'sessions list' 'sessions revoke' 'password change' 'password reset' 'verify-email' 'token' 'exec' 'profile list' 'profile show' 'profile add' 'profile set' 'profile use' 'profile remove' 'completion' 'help' 'help sessions' 'help password' 'help profile' 'version' 'serve'
    set -l takers --profile --backend --server --app-id --client-key-file --output --color --timeout --connect-timeout --ca-cert --proxy --email --phone --password-file --field --field-json --otp --token-file --id-token-file --facebook-id --permission --new-password-file --key --set --from --port --database --mail-dir --allow-origin --facebook-app-id --facebook-app-secret-file
    set -l words (commandline -opc)
    set -e words[1]
    set -l place ''
    set -l operands 0
    set -l dashes
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        if set -q dashes[1]
            set operands (math $operands + 1)
        else if test "$word" = --
            set dashes --
        else if string match -q -- '-?*' $word
            if contains -- $word $takers; or string match -qr -- '^-[^-p]*[p]$' $word
                set -q words[1]; and set -e words[1]
            end
        else if test $operands = 0; and contains -- (string trim -- "$place $word") $places
            set place (string trim -- "$place $word")
        else
            set operands (math $operands + 1)
        end
    end
    printf '%s\n' "$place" $operands $dashes
end

# Whether the cursor is at a place: there at an operand by number, from one on, or anywhere behind "--".
function __authctl_at
    set -l here (__authctl_place)
    test "$here[1]" = "$argv[1]"; or return 1
    switch "$argv[2]"
        case ''
            return 0
        case --
            set -q here[3]
        case '*+'
            test $here[2] -ge (string trim -rc + -- $argv[2])
        case '*'
            test $here[2] = $argv[2]
    end
end

# Names that the program lists itself.
function __authctl_live
    command -q authctl; and command authctl __complete $argv </dev/null 2>/dev/null
end

# Another program behind "--": its name, then its arguments, as it has them completed itself.
function __authctl_command
    set -l words (commandline -opc)
    while set -q words[1]; and test "$words[1]" != --
        set -e words[1]
    end
    set -e words[1]
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

complete -c authctl -f

# What can be given everywhere.
complete -c authctl -s p -l profile -x -a '(__authctl_live profiles)' -d 'Use this profile: a connection and at most one session'
complete -c authctl -l backend -x -a 'local parse back4app rest-auth dj-rest-auth allauth kii' -d 'Talk to this kind of account server: local, parse or back4app, rest-auth or dj-rest-auth, allauth, kii'
complete -c authctl -l server -x -d 'The base URL of the server, with the path that its API is mounted at'
complete -c authctl -l app-id -x -d 'The id of the application at the server'
complete -c authctl -l client-key-file -r -F -d 'Read the key of the application, such as Parse\'s REST key, from this file'
complete -c authctl -l allow-http -d 'Send secrets unencrypted to a server whose URL begins with http'
complete -c authctl -l output -x -a 'text json' -d 'Print text for people or JSON for scripts'
complete -c authctl -l json -d 'The same as --output json'
complete -c authctl -s q -l quiet -d 'Print no notes'
complete -c authctl -s v -l verbose -d 'Show on standard error what is asked of the server, without secrets'
complete -c authctl -l color -x -a 'auto always never' -d 'Colour the output'
complete -c authctl -l no-input -d 'Never ask; fail if something is missing'
complete -c authctl -l timeout -x -d 'The longest that a request may take, with all tries'
complete -c authctl -l connect-timeout -x -d 'The longest that connecting may take'
complete -c authctl -l ca-cert -r -F -d 'Trust the authorities in this file (PEM) alone'
complete -c authctl -l proxy -x -d 'Reach https servers through this proxy; never those on this machine'
complete -c authctl -s h -l help -d 'Show help and exit'

# Before the command.
complete -c authctl -n '__authctl_at "" 0' -a 'signup' -d 'Create an account and log in with it'
complete -c authctl -n '__authctl_at "" 0' -a 'login' -d 'Start a session and keep it'
complete -c authctl -n '__authctl_at "" 0' -a 'logout' -d 'End the session at the server and forget it'
complete -c authctl -n '__authctl_at "" 0' -a 'whoami' -d 'Show who is logged in'
complete -c authctl -n '__authctl_at "" 0' -a 'link-facebook' -d 'Link the account with a Facebook identity'
complete -c authctl -n '__authctl_at "" 0' -a 'sessions' -d 'list, revoke'
complete -c authctl -n '__authctl_at "" 0' -a 'password' -d 'change, reset'
complete -c authctl -n '__authctl_at "" 0' -a 'verify-email' -d 'Have the mail sent that confirms an address, or confirm it'
complete -c authctl -n '__authctl_at "" 0' -a 'token' -d 'Print the session token, and nothing else'
complete -c authctl -n '__authctl_at "" 0' -a 'exec' -d 'Run a command with the session in its environment'
complete -c authctl -n '__authctl_at "" 0' -a 'profile' -d 'list, show, add, set, use, remove'
complete -c authctl -n '__authctl_at "" 0' -a 'completion' -d 'Print the script that completes commands in a shell'
complete -c authctl -n '__authctl_at "" 0' -a 'help' -d 'Print help on authctl, one of its commands or a topic'
complete -c authctl -n '__authctl_at "" 0' -a 'version' -d 'Print the version'
complete -c authctl -n '__authctl_at "" 0' -a 'serve' -d 'Offer the accounts of this machine to other programs'
complete -c authctl -n '__authctl_at ""' -l version -d 'Print the version and exit'

# authctl sessions
complete -c authctl -n '__authctl_at "sessions" 0' -a 'list' -d 'List the account\'s sessions, the current one marked'
complete -c authctl -n '__authctl_at "sessions" 0' -a 'revoke' -d 'End some of the account\'s sessions'

# authctl password
complete -c authctl -n '__authctl_at "password" 0' -a 'change' -d 'Change the password of the account'
complete -c authctl -n '__authctl_at "password" 0' -a 'reset' -d 'Have the mail sent that resets a password'

# authctl profile
complete -c authctl -n '__authctl_at "profile" 0' -a 'list' -d 'List the profiles, the one in use marked'
complete -c authctl -n '__authctl_at "profile" 0' -a 'show' -d 'Show a profile'
complete -c authctl -n '__authctl_at "profile" 0' -a 'add' -d 'Make a profile: a connection by name'
complete -c authctl -n '__authctl_at "profile" 0' -a 'set' -d 'Change a setting of a profile'
complete -c authctl -n '__authctl_at "profile" 0' -a 'use' -d 'Choose the profile that commands use'
complete -c authctl -n '__authctl_at "profile" 0' -a 'remove' -d 'Remove a profile'

# authctl signup
complete -c authctl -n '__authctl_at "signup"' -l email -x -d 'The e-mail of the new account'
complete -c authctl -n '__authctl_at "signup"' -l phone -x -d 'The phone number of the new account, as in +819012345678; on Kii Cloud only'
complete -c authctl -n '__authctl_at "signup"' -l password-stdin -d 'Read the password from standard input'
complete -c authctl -n '__authctl_at "signup"' -l password-file -r -F -d 'Read the password from this file; - is standard input'
complete -c authctl -n '__authctl_at "signup"' -l field -x -d 'A further field of the user, as text'
complete -c authctl -n '__authctl_at "signup"' -l field-json -x -d 'A further field of the user, as JSON'
complete -c authctl -n '__authctl_at "signup"' -l no-login -d 'Only make the account; the session kept so far stays'
complete -c authctl -n '__authctl_at "signup"' -l skip-checks -d 'Leave it to the server what is a good account'

# authctl login
complete -c authctl -n '__authctl_at "login"' -l password-stdin -d 'Read the password from standard input'
complete -c authctl -n '__authctl_at "login"' -l password-file -r -F -d 'Read the password from this file; - is standard input'
complete -c authctl -n '__authctl_at "login"' -l otp -x -d 'The one-time code of the second factor, or a recovery code; else it is asked for'
complete -c authctl -n '__authctl_at "login"' -l token-stdin -d 'Keep the session whose token is on standard input'
complete -c authctl -n '__authctl_at "login"' -l token-file -r -F -d 'Keep the session whose token is in this file'
complete -c authctl -n '__authctl_at "login"' -l facebook -d 'Log in with Facebook; a token is then Facebook\'s'
complete -c authctl -n '__authctl_at "login"' -l id-token-stdin -d 'Read a token of Facebook\'s Limited Login from standard input'
complete -c authctl -n '__authctl_at "login"' -l id-token-file -r -F -d 'Read a token of Facebook\'s Limited Login from this file'
complete -c authctl -n '__authctl_at "login"' -l facebook-id -x -d 'The id of the Facebook user, where Facebook cannot be asked for it'
complete -c authctl -n '__authctl_at "login"' -l permission -x -d 'Ask Facebook for this permission, too, when a code is shown'
complete -c authctl -n '__authctl_at "login"' -l fill-user -d 'Fill empty fields of the user with the name and the e-mail that Facebook tells'
complete -c authctl -n '__authctl_at "login"' -l anonymous -d 'Make an account for somebody who does not say who they are'

# authctl logout
complete -c authctl -n '__authctl_at "logout"' -l all-profiles -d 'End the sessions of all profiles'
complete -c authctl -n '__authctl_at "logout"' -l offline -d 'Only forget the session; the server is not asked'

# authctl whoami
complete -c authctl -n '__authctl_at "whoami"' -l offline -d 'Show what is stored; the server is not asked'

# authctl link-facebook
complete -c authctl -n '__authctl_at "link-facebook"' -l token-stdin -d 'Read the Facebook token from standard input'
complete -c authctl -n '__authctl_at "link-facebook"' -l token-file -r -F -d 'Read the Facebook token from this file; - is standard input'
complete -c authctl -n '__authctl_at "link-facebook"' -l id-token-stdin -d 'Read a token of Facebook\'s Limited Login from standard input'
complete -c authctl -n '__authctl_at "link-facebook"' -l id-token-file -r -F -d 'Read a token of Facebook\'s Limited Login from this file'
complete -c authctl -n '__authctl_at "link-facebook"' -l facebook-id -x -d 'The id of the Facebook user, where Facebook cannot be asked for it'
complete -c authctl -n '__authctl_at "link-facebook"' -l permission -x -d 'Ask Facebook for this permission, too, when a code is shown'
complete -c authctl -n '__authctl_at "link-facebook"' -l fill-user -d 'Fill empty fields of the user with the name and the e-mail that Facebook tells'
complete -c authctl -n '__authctl_at "link-facebook"' -l unlink -d 'Take the identity away'
complete -c authctl -n '__authctl_at "link-facebook"' -l force -d 'Take it away even if nobody may be able to log in to the account any more'
complete -c authctl -n '__authctl_at "link-facebook"' -l revoke -d 'With --unlink: withdraw what the user allows the app at Facebook, too, on all devices'
complete -c authctl -n '__authctl_at "link-facebook"' -l status -d 'Only tell whether an identity is linked'

# authctl sessions revoke
complete -c authctl -n '__authctl_at "sessions revoke"' -l others -d 'End all but the current one'
complete -c authctl -n '__authctl_at "sessions revoke"' -l all -d 'End all, the current one too, and forget that here'

# authctl password change
complete -c authctl -n '__authctl_at "password change"' -l password-stdin -d 'Read the password from standard input'
complete -c authctl -n '__authctl_at "password change"' -l password-file -r -F -d 'Read the password from this file; - is standard input'
complete -c authctl -n '__authctl_at "password change"' -l new-password-file -r -F -d 'Read the new password from this file'

# authctl verify-email
complete -c authctl -n '__authctl_at "verify-email"' -l email -x -d 'The address; else that of who is logged in'
complete -c authctl -n '__authctl_at "verify-email"' -l key -x -d 'Confirm the address with this key of a link, or code; no mail is sent'

# authctl exec
complete -c authctl -n '__authctl_at "exec"' -l set -x -d 'Set this variable, too, to one of token, server, app-id, username'
complete -c authctl -n '__authctl_at "exec" --' -x -a '(__authctl_command)'

# authctl profile show
complete -c authctl -n '__authctl_at "profile show" 0' -x -a '(__authctl_live profiles)'

# authctl profile add
complete -c authctl -n '__authctl_at "profile add"' -l from -x -a '(__authctl_live profiles)' -d 'Take from this profile what no option says'

# authctl profile set
complete -c authctl -n '__authctl_at "profile set" 0' -x -a '(__authctl_live profiles)'
complete -c authctl -n '__authctl_at "profile set" 1' -x -a 'backend server appId clientKeyFile allowHttp facebookAppId facebookClientTokenFile facebookGraphVersion registrationPath secondFactorPath facebookPath facebookConnectPath socialAccountsPath'

# authctl profile use
complete -c authctl -n '__authctl_at "profile use" 0' -x -a '(__authctl_live profiles)'

# authctl profile remove
complete -c authctl -n '__authctl_at "profile remove"' -l force -d 'Also if a session is stored: it is forgotten, not ended at the server'
complete -c authctl -n '__authctl_at "profile remove" 0' -x -a '(__authctl_live profiles)'

# authctl completion
complete -c authctl -n '__authctl_at "completion" 0' -x -a 'bash zsh fish'

# authctl help
complete -c authctl -n '__authctl_at "help" 0' -a 'signup' -d 'Create an account and log in with it'
complete -c authctl -n '__authctl_at "help" 0' -a 'login' -d 'Start a session and keep it'
complete -c authctl -n '__authctl_at "help" 0' -a 'logout' -d 'End the session at the server and forget it'
complete -c authctl -n '__authctl_at "help" 0' -a 'whoami' -d 'Show who is logged in'
complete -c authctl -n '__authctl_at "help" 0' -a 'link-facebook' -d 'Link the account with a Facebook identity'
complete -c authctl -n '__authctl_at "help" 0' -a 'sessions' -d 'list, revoke'
complete -c authctl -n '__authctl_at "help" 0' -a 'password' -d 'change, reset'
complete -c authctl -n '__authctl_at "help" 0' -a 'verify-email' -d 'Have the mail sent that confirms an address, or confirm it'
complete -c authctl -n '__authctl_at "help" 0' -a 'token' -d 'Print the session token, and nothing else'
complete -c authctl -n '__authctl_at "help" 0' -a 'exec' -d 'Run a command with the session in its environment'
complete -c authctl -n '__authctl_at "help" 0' -a 'profile' -d 'list, show, add, set, use, remove'
complete -c authctl -n '__authctl_at "help" 0' -a 'completion' -d 'Print the script that completes commands in a shell'
complete -c authctl -n '__authctl_at "help" 0' -a 'help' -d 'Print help on authctl, one of its commands or a topic'
complete -c authctl -n '__authctl_at "help" 0' -a 'version' -d 'Print the version'
complete -c authctl -n '__authctl_at "help" 0' -a 'serve' -d 'Offer the accounts of this machine to other programs'
complete -c authctl -n '__authctl_at "help" 0' -a 'environment' -d 'The variables that are read'
complete -c authctl -n '__authctl_at "help" 0' -a 'exit-codes' -d 'What the exit codes mean, and the reasons behind them'
complete -c authctl -n '__authctl_at "help" 0' -a 'json' -d 'The documents that scripts read'
complete -c authctl -n '__authctl_at "help" 0' -a 'files' -d 'Where things are kept, and how'
complete -c authctl -n '__authctl_at "help" 0' -a 'security' -d 'What becomes of passwords, tokens and keys'

# authctl help sessions
complete -c authctl -n '__authctl_at "help sessions" 0' -a 'list' -d 'List the account\'s sessions, the current one marked'
complete -c authctl -n '__authctl_at "help sessions" 0' -a 'revoke' -d 'End some of the account\'s sessions'

# authctl help password
complete -c authctl -n '__authctl_at "help password" 0' -a 'change' -d 'Change the password of the account'
complete -c authctl -n '__authctl_at "help password" 0' -a 'reset' -d 'Have the mail sent that resets a password'

# authctl help profile
complete -c authctl -n '__authctl_at "help profile" 0' -a 'list' -d 'List the profiles, the one in use marked'
complete -c authctl -n '__authctl_at "help profile" 0' -a 'show' -d 'Show a profile'
complete -c authctl -n '__authctl_at "help profile" 0' -a 'add' -d 'Make a profile: a connection by name'
complete -c authctl -n '__authctl_at "help profile" 0' -a 'set' -d 'Change a setting of a profile'
complete -c authctl -n '__authctl_at "help profile" 0' -a 'use' -d 'Choose the profile that commands use'
complete -c authctl -n '__authctl_at "help profile" 0' -a 'remove' -d 'Remove a profile'

# authctl serve
complete -c authctl -n '__authctl_at "serve"' -l port -x -d 'Listen on this port; 0 takes a free one'
complete -c authctl -n '__authctl_at "serve"' -l database -r -F -d 'Keep the accounts in this file'
complete -c authctl -n '__authctl_at "serve"' -l mail-dir -x -a '(__fish_complete_directories)' -d 'Write mails into this folder, a file each; without it no mail is sent'
complete -c authctl -n '__authctl_at "serve"' -l allow-origin -x -d 'Let pages of this origin call, such as http://localhost:3000'
complete -c authctl -n '__authctl_at "serve"' -l facebook-app-id -x -d 'Take tokens of this Facebook app; without one nobody logs in with Facebook'
complete -c authctl -n '__authctl_at "serve"' -l facebook-app-secret-file -r -F -d 'Read the secret of that app from this file, and prove to Facebook that it is known'
