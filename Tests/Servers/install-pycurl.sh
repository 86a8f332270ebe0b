#!/usr/bin/env bash
# Downloads the wheels that authctl's wheel requires (pycurl.txt) to .build/pycurl. Prints nothing if they are up to date.
# The file "installed" is written last.
set -euo pipefail
cd "$(dirname "$0")/../.."
source=Tests/Servers/pycurl.txt
target=.build/pycurl
mkdir -p "$target"
exec 9> "$target/lock"
flock 9

cmp -s "$source" "$target/installed" && exit
echo "Downloading the wheels of pycurl and certifi"
rm -f "$target"/*.whl
# Debian's Python, which matches python3-venv.
/usr/bin/python3 -m venv "$target/pip"
"$target/pip/bin/python" -m pip download --quiet --disable-pip-version-check --no-input --no-deps \
    --only-binary :all: --require-hashes --dest "$target" -r "$source"
cp "$source" "$target/installed"
