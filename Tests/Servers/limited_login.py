#!/usr/bin/env python3
"""A fake of Limited Login: signed ID tokens, and the keys that account servers verify them with.

    limited_login.py [NAME=VALUE]...

Prints a token. Each NAME is a claim; iat and exp are relative to now, in seconds. Defaults: iss is Facebook, aud is the
app 1000, sub 1001, exp one hour from now, jti unique, and names and address belong to the user. A claim with an empty
value is left out. kid=VALUE sets the key id. signature=wrong makes the signature invalid, signature=none empty.
"""

import base64
import hashlib
import json
import os
import secrets
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import graph_people

ISSUER = "https://www.facebook.com"
CONFIGURATION_PATH = "/.well-known/openid-configuration/"
# A generic OpenID Connect issuer that uses the same keys as the fake of Facebook.
OTHER_ISSUER_PATH = "/issuer"
OTHER_CONFIGURATION_PATH = f"{OTHER_ISSUER_PATH}/.well-known/openid-configuration"
KEYS_PATH = "/.well-known/oauth/openid/jwks/"
KEY_NAME = "key-of-the-fake"

# A 2048-bit RSA key, made for these tests only.
MODULUS = int(
    "b0a024080a8ee718f49e437ceebbe07ff2d7778be37525ac7954ce5b55fd21c0f401d58e0691147e1cb038cd3751ae3ef040f5ca"
    "f064260543de795aae24ab9ee880bf7502d28116e1b20fa0fffe24646b956fe6b83892cff59722d779c3a34456308671d168c508"
    "f25aeab78201fb7db0690a6c54e0969c960b9eec85293a03596b2c889092fa09b9ba851f89bc0b66349b6502e39ce29a7cc101e1"
    "593fd1c680c20382371fccfbc2d029745e11750f6ac199d5b5f7974105ffc88383daf1351e2000f1ad62ee0e5a62199d0aae5a50"
    "5013fd77082cb7482b345fe1a9d107484c7f1bcfd2fdbf6206ee5956bddb662c01b6d30be4e24c55675075bb8731c2c3"
    , 16)
PRIVATE_EXPONENT = int(
    "23fbfc5b470b6639c75c971354f02204ef4cc6a65169048be70c481e839e56ca20ec5ebdd8c8a60c2b7c1b9673b6c8713a3181e2"
    "1ea7c8b739e49184d005d8913f7d3b847356bfc611a55d59c7cdd74c3e3eebd56da2d906555abd5679104aab1984395fe6f21972"
    "812dd4b41e6099043a74ac12f617eb976b5a62be7d42b0f6b697d9187c6920831f3b6b4e88d4a5997c9446b7e422ae85ab613919"
    "68f0544f24f9f25d9686718b1e3405225512016cd539073f7a3b1ba130276b690c1ec93f23f6cc0bdb1258064b4cca78022e8e35"
    "00f0e0db202d9492707670a0b7efbe947c8b44185801922bb39ef9db93ce8a17b94ed278e1f592be1bdef9283fd4509"
    , 16)
PUBLIC_EXPONENT = 65537
# The DER prefix of a SHA-256 DigestInfo. Source: RFC 8017, section 9.2, note 1.
SHA256_MARK = bytes.fromhex("3031300d060960864801650304020105000420")


def encoded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def number(value):
    return encoded(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def signature(text):
    """RSASSA-PKCS1-v1_5 with SHA-256. Source: RFC 8017, section 8.2.1."""
    size = (MODULUS.bit_length() + 7) // 8
    ending = SHA256_MARK + hashlib.sha256(text.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (size - len(ending) - 3) + b"\x00" + ending
    return pow(int.from_bytes(padded, "big"), PRIVATE_EXPONENT, MODULUS).to_bytes(size, "big")


def id_token(wishes):
    wishes = dict(wishes)
    kid = wishes.pop("kid", KEY_NAME)
    kind = wishes.pop("signature", "right")
    now = int(time.time())
    sub = wishes.get("sub", "1001")
    known = next((person for person in graph_people.PEOPLE.values() if person.get("id") == sub), {})
    claims = {
        "iss": ISSUER, "aud": graph_people.APP, "sub": sub, "iat": now, "exp": now + 3600,
        "jti": secrets.token_hex(8), "nonce": "a-nonce", "email": known.get("email"), "name": known.get("name"),
        "given_name": known.get("first_name"), "family_name": known.get("last_name"),
    }
    for name, value in wishes.items():
        claims[name] = now + int(value) if name in ("iat", "exp") and value else value
    claims = {name: value for name, value in claims.items() if value not in (None, "")}
    header = {"alg": "none" if kind == "none" else "RS256", "typ": "JWT", "kid": kid}
    text = f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(claims).encode())}"
    proof = {"right": signature(text), "wrong": signature(f"{text} "), "none": b""}[kind]
    return f"{text}.{encoded(proof)}"


def keys(_):
    return {"keys": [{
        "kid": KEY_NAME, "kty": "RSA", "alg": "RS256", "use": "sig",
        "n": number(MODULUS), "e": number(PUBLIC_EXPONENT),
    }]}


def configuration(_):
    return {
        "issuer": ISSUER, "jwks_uri": f"https://limited.facebook.com{KEYS_PATH}",
        "response_types_supported": ["id_token"], "subject_types_supported": "pairwise",
        "id_token_signing_alg_values_supported": ["RS256"],
    }


def other_configuration(request):
    return {"issuer": request.origin + OTHER_ISSUER_PATH, "jwks_uri": request.origin + KEYS_PATH}


if __name__ == "__main__":
    print(id_token(word.split("=", 1) for word in sys.argv[1:]))
