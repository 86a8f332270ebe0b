#!/usr/bin/env bash
# Installs the account servers made of Django that tests start, below .build/django; says nothing where that is done.
#
# NAME/ is a virtual environment, and NAME/database a database of its site without accounts, to be copied. Beside them
# installed and migrated tell what each was made from. They are written last: after an interruption, or when something of
# that has changed, it is made anew.
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

install() { # NAME SITE MODE
    local folder=$target/$1
    local packages=("$sources/$1.txt" "$sources/build.txt") site=("$sources/accounts.py" "$sources/$2.py")
    if ! is_made_from "$folder/installed" "${packages[@]}"; then
        echo "Installing the Django server $1"
        rm -rf "$folder"
        "$python" -m venv "$folder"
        # All packages are listed, so that nothing is left to choose. Those that are sources become wheels.
        "$folder/bin/python" -m pip install --quiet --no-deps --no-compile --use-pep517 -r "$sources/$1.txt"
        contents "${packages[@]}" > "$folder/installed"
    fi
    if ! is_made_from "$folder/migrated" "${site[@]}"; then
        rm -f "$folder/database" "$folder/migrated"
        # Compiled files shall not lie beside the sources.
        PYTHONPYCACHEPREFIX=$PWD/$folder/compiled SITE_MODE=$3 SITE_FOLDER=$folder \
            "$folder/bin/python" "$sources/$2.py" migrate
        contents "${site[@]}" > "$folder/migrated"
    fi
}

install rest-auth rest_auth_site none &
first=$!
# In this mode every application has its tables.
install dj-rest-auth dj_rest_auth_site mfa &
second=$!
wait "$first"
wait "$second"
