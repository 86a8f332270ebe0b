#!/usr/bin/env bash
# Installs the account servers made of Django that tests start, below .build/django; says nothing where that is done.
#
# NAME/ is a virtual environment, and NAME/database a database of its site without accounts, to be copied; allauth/ is a
# database alone, of a site in the environment of dj-rest-auth. Beside them installed and migrated tell what each was made
# from. They are written last: after an interruption, or when something of that has changed, it is made again.
set -euo pipefail
cd "$(dirname "$0")/../.."
sources=Tests/Servers/django
target=.build/django
mkdir -p "$target"
exec 9> "$target/lock"
flock 9

# Debian's own, which python3-venv belongs to.
python=/usr/bin/python3
# The versions of what makes packages of sources: pip does that in environments of their own, and there reads this alone.
export PIP_CONSTRAINT=$sources/build.txt PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

# Compiled once, servers start in half the time.
unset PYTHONDONTWRITEBYTECODE

contents() { # FILE...
    "$python" --version
    cat Tests/Servers/install-django.sh "$@"
}

is_made_from() { # STAMP FILE...
    [[ -f $1 ]] && contents "${@:2}" | cmp -s - "$1"
}

environment() { # NAME
    local folder=$target/$1
    local packages=("$sources/$1.txt" "$sources/build.txt")
    is_made_from "$folder/installed" "${packages[@]}" && return
    echo "Installing the Django server $1"
    rm -rf "$folder"
    "$python" -m venv "$folder"
    # All packages are listed, so that nothing is left to choose. Those that are sources become wheels.
    "$folder/bin/python" -m pip install --quiet --no-deps --no-compile --use-pep517 -r "$sources/$1.txt"
    contents "${packages[@]}" > "$folder/installed"
}

database() { # NAME SITE MODE ENVIRONMENT
    local folder=$target/$1
    local site=("$sources/accounts.py" "$sources/$2.py")
    is_made_from "$folder/migrated" "$target/$4/installed" "${site[@]}" && return
    mkdir -p "$folder"
    rm -f "$folder/database" "$folder/migrated"
    # Compiled files shall not lie beside the sources.
    PYTHONPYCACHEPREFIX=$PWD/$target/$4/compiled SITE_MODE=$3 SITE_FOLDER=$folder \
        "$target/$4/bin/python" "$sources/$2.py" migrate
    contents "$target/$4/installed" "${site[@]}" > "$folder/migrated"
}

{
    environment rest-auth
    database rest-auth rest_auth_site none rest-auth
} &
first=$!
{
    environment dj-rest-auth
    # In this mode every application has its tables.
    database dj-rest-auth dj_rest_auth_site mfa dj-rest-auth
    database allauth allauth_site none dj-rest-auth
} &
second=$!
wait "$first"
wait "$second"
