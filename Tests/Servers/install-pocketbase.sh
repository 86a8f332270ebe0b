#!/usr/bin/env bash
# Installs the PocketBase servers of the tests in .build/pocketbase: VERSION/bin/pocketbase for each line of
# pocketbase.txt. Prints nothing if they are up to date. The file "installed" is written last.
set -euo pipefail
cd "$(dirname "$0")/../.."
source=Tests/Servers/pocketbase.txt
target=.build/pocketbase
mkdir -p "$target"
exec 9> "$target/lock"
flock 9

cmp -s "$source" "$target/installed" && exit
echo "Installing the PocketBase servers"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
# Debian's Python, which matches python3-venv.
/usr/bin/python3 -m venv "$target/pip"
while read -r package hashes; do
    folder=$target/${package#*==}
    rm -rf "$folder"
    # The file may list only one version of a package.
    "$target/pip/bin/python" -m pip install --quiet --no-deps --no-compile --require-hashes --target "$folder" \
        -r <(echo "$package $hashes")
done < "$source"
cp "$source" "$target/installed"
