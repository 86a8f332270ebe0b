import CommandLineKit

extension HelpTopics {
    static let roles: [HelpTopic.Block] = [
        .paragraph(
            """
            An admin, a member and an outsider, and what each may do. With PocketBase, the role is a field of the \
            collection; `root` is the profile of a superuser.
            """),
        .code(
            """
            for role in admin member outsider; do
                authctl users create --count 1 --email $role@example.org \\
                    --field role=$role --admin root \\
                    --journal $role.journal --password-file password.txt
                authctl --as $role login $role@example.org \\
                    --password-file password.txt
            done
            authctl check roles.txt
            """),
        .paragraph(
            """
            With Supabase and Firebase, the role is a claim, which the user cannot change, and which the \
            output of `authctl token` contains. Firebase's emulator needs no key.
            """),
        .code(
            """
            for role in admin member outsider; do
                authctl users create --count 1 --email $role@example.org \\
                    --claim role=$role --admin-key-file key.txt \\
                    --journal $role.journal --password-file password.txt
                authctl --as $role login $role@example.org \\
                    --password-file password.txt
            done
            authctl check roles.txt
            authctl users set member@example.org --claim role=admin \\
                --admin-key-file key.txt
            """),
        .paragraph("With local accounts, Parse Server and `authctl serve`:"),
        .code(
            """
            for role in admin member outsider; do
                authctl users create --count 1 --name $role --field role=$role \\
                    --journal $role.journal --password-file password.txt
                authctl --as $role login $role --password-file password.txt
            done
            """),
        .paragraph("The table `roles.txt` for a PocketBase collection that only admins may read:"),
        .code(
            """
            request                               admin  member  outsider  anyone
            GET /api/collections/reports/records  yes    no      no        no
            """),
    ]

    static let moves: [HelpTopic.Block] = [
        .paragraph(
            """
            The profiles `old` and `new` are the two servers. With `--dry-run`, `users create` only shows what the new \
            server cannot keep, and the options that accept it. If it is interrupted, run it again. The new files are \
            secret: delete them after the move.
            """),
        .paragraph("From Firebase to Supabase, with the passwords:"),
        .code(
            """
            authctl -p old users export --admin-key-file token.txt \\
                --password-hashes --file users.ndjson
            authctl -p new users create users.ndjson \\
                --admin-key-file secret.txt --journal move.journal
            """),
        .paragraph("From Parse to Supabase; the roles become claims, and `new.ndjson` gets new passwords:"),
        .code(
            """
            umask 077
            authctl -p old users export --admin-key-file master.txt |
                jq -c '.claims = {roles: (.roles // [])} | del(.roles)' \\
                > users.ndjson
            authctl -p new users create users.ndjson \\
                --admin-key-file secret.txt --journal move.journal \\
                --credentials new.ndjson
            """),
        .paragraph(
            """
            From local accounts to Parse. With `--admin-key-file`, a Parse Server keeps verified addresses, and the roles of \
            accounts from another one:
            """),
        .code(
            """
            umask 077
            authctl -p old users export > users.ndjson
            authctl -p new users create users.ndjson --journal move.journal \\
                --credentials new.ndjson
            """),
        .paragraph("Between PocketBase servers; `old-root` and `new-root` are the profiles of their superusers:"),
        .code(
            """
            umask 077
            authctl -p old users export --admin old-root > users.ndjson
            authctl -p new users create users.ndjson --admin new-root \\
                --journal move.journal --credentials new.ndjson
            """),
        .paragraph(
            """
            From Django to Supabase, which takes the hashes of argon2 and bcrypt. If the site has not verified the addresses, \
            use `--unverified`:
            """),
        .code(
            """
            umask 077
            python manage.py dumpdata auth.user | jq -c '.[].fields | {
                username, email, disabled: (.is_active | not),
                fields: {first_name, last_name},
                passwordHash: (if .password[:1] == "!" then null
                               else .password end)
            }' > users.ndjson
            authctl -p new users create users.ndjson \\
                --admin-key-file secret.txt --journal move.journal \\
                --credentials new.ndjson --verified
            """),
        .paragraph(
            """
            To Firebase, with the same `users.ndjson`. Firebase takes bcrypt, and `pbkdf2_sha256` with at most 120,000 \
            iterations; accounts with other hashes get new passwords.
            """),
        .code(
            """
            authctl -p new users create users.ndjson \\
                --admin-key-file token.txt --journal move.journal \\
                --credentials new.ndjson --verified \\
                --drop fields.first_name --drop fields.last_name
            """),
        .paragraph("Users with new passwords choose their own:"),
        .code(
            """
            jq -r '.email // empty' users.ndjson | while read -r address; do
                authctl --no-input -p new password reset "$address"
            done
            """),
    ]
}
