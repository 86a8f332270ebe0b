#!/usr/bin/env bash
# Installs the tests' Django sites in .build/django. Prints nothing if they are up to date.
#
# NAME/ is a virtual environment, and NAME/database is a database template without accounts. allauth/ contains only a
# database; its site uses the environment of dj-rest-auth. The stamp files "installed" and "migrated" record the inputs
# of each step. Each step writes its stamp file last, so that an interrupted or outdated step runs again.
set -euo pipefail
cd "$(dirname "$0")/../.."
sources=Tests/Servers/django
target=.build/django
mkdir -p "$target"
exec 9> "$target/lock"
flock 9

# Debian's Python, which matches python3-venv.
python=/usr/bin/python3
# Versions of build dependencies. pip builds packages in isolated environments, which read only PIP_CONSTRAINT.
export PIP_CONSTRAINT=$sources/build.txt PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

# Compiled .pyc files halve the start time of the sites.
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
    # $1.txt lists every dependency, so pip resolves none. Source packages are built as wheels.
    "$folder/bin/python" -m pip install --quiet --no-deps --no-compile --use-pep517 -r "$sources/$1.txt"
    contents "${packages[@]}" > "$folder/installed"
}

database() { # NAME SITE MODE ENVIRONMENT
    local folder=$target/$1
    local site=("$sources/accounts.py" "$sources/$2.py")
    is_made_from "$folder/migrated" "$target/$4/installed" "${site[@]}" && return
    mkdir -p "$folder"
    rm -f "$folder/database" "$folder/migrated"
    # Keep .pyc files out of the source tree.
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
    # The mode mfa creates the tables of every application.
    database dj-rest-auth dj_rest_auth_site mfa dj-rest-auth
    database allauth allauth_site none dj-rest-auth
} &
second=$!
wait "$first"
wait "$second"
