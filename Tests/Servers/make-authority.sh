#!/usr/bin/env bash
# Creates a certificate authority, valid for one day, and test certificates: make-authority.sh FOLDER
#
# NAME.pem contains a certificate and its key. NAME is good (for localhost, 127.0.0.1, ::1 and account.test), google
# (for hosts of Google), expired, not-yet-valid, wrong-host, self-signed, orphan (without its intermediate certificate) or chain (with the intermediate
# certificate). Clients trust authority.pem or other-authority.pem, which has signed none of these certificates.
set -euo pipefail
mkdir -p "$1"
cd "$1"

names="subjectAltName=DNS:localhost,DNS:account.test,IP:127.0.0.1,IP:::1"
anybody="basicConstraints=CA:TRUE"

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }

# Creates a self-signed certificate. Arguments: NAME SUBJECT EXTENSION
root() {
    key "$1"
    openssl req -x509 -new -key "$1.key" -subj "/CN=$2" -days 1 -addext "$3" -out "$1.crt"
}

# Creates a signed certificate. Arguments: NAME SIGNER START END EXTENSION; the times have the form YYYYMMDDHHMMSSZ.
signed() {
    key "$1"
    printf '%s\n' "$5" > "$1.ext"
    openssl req -new -key "$1.key" -subj "/CN=authctl test $1" -out "$1.csr"
    openssl ca -batch -notext -config authority.cnf -cert "$2.crt" -keyfile "$2.key" -startdate "$3" -enddate "$4" \
        -extfile "$1.ext" -in "$1.csr" -out "$1.crt" 2>> openssl.log
}

cat > authority.cnf <<'CNF'
[ca]
default_ca = tests
[tests]
database = index
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
CNF
: > index

yesterday=$(date -u -d '-1 day' +%Y%m%d%H%M%SZ 2> /dev/null || date -u -v-1d +%Y%m%d%H%M%SZ)
tomorrow=$(date -u -d '+1 day' +%Y%m%d%H%M%SZ 2> /dev/null || date -u -v+1d +%Y%m%d%H%M%SZ)
long_ago=20200101000000Z
far_away=20900101000000Z

root authority "authctl test authority" "$anybody"
root other-authority "another authority" "$anybody"
root self-signed localhost "$names"
signed good authority "$yesterday" "$tomorrow" "$names"
signed expired authority "$long_ago" "$yesterday" "$names"
signed not-yet-valid authority "$tomorrow" "$far_away" "$names"
signed wrong-host authority "$yesterday" "$tomorrow" "subjectAltName=DNS:elsewhere.test"
signed google authority "$yesterday" "$tomorrow" "subjectAltName=DNS:identitytoolkit.googleapis.com,DNS:iamcredentials.googleapis.com"
signed intermediate authority "$yesterday" "$tomorrow" "$anybody"
signed orphan intermediate "$yesterday" "$tomorrow" "$names"

for name in good expired not-yet-valid wrong-host google self-signed orphan; do cat "$name.crt" "$name.key" > "$name.pem"; done
cat orphan.crt intermediate.crt orphan.key > chain.pem
for name in authority other-authority; do cp "$name.crt" "$name.pem"; done
