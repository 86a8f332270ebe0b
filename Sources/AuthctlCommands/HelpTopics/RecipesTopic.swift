import CommandLineKit

extension HelpTopics {
    static var recipes: HelpTopic {
        HelpTopic(
            "recipes", section: 7, summary: "Recipes for scripts, tests and CI",
            opening: [
                .paragraph(
                    """
                    authctl's own tests run these recipes with `authctl serve`, or with the servers that a recipe names. In recipes marked (with a fake), the tests \
                    replace the program to which authctl gives the session, such as Playwright, with a fake. `npm test` stands for the tests of \
                    your app.
                    """)
            ],
            sections: [
                HelpTopic.Section(
                    "curl and jq",
                    [
                        .code(
                            """
                            authctl api /users/me | jq -r .email
                            authctl token --header |
                                curl -fsS -H @- https://example.org/parse/users/me | jq -r .email
                            """)
                    ]),
                HelpTopic.Section(
                    "Browser tests with Playwright (with a fake)",
                    [
                        .code(
                            """
                            authctl serve --ephemeral --seed ada.csv \\
                                --allow-origin http://localhost:3000 -- sh browser.sh
                            """),
                        .paragraph(
                            "Pages of `http://localhost:3000` may send requests to the server. The script `browser.sh`:"
                        ),
                        .code(
                            """
                            authctl --as ada login --password-file ada.txt
                            authctl --as ada storage-state http://localhost:3000 --file ada.json
                            npx playwright test
                            """),
                        .paragraph("A test with `test.use({ storageState: 'ada.json' })` starts with ada logged in."),
                    ]),
                HelpTopic.Section("Browsers for many users (with a fake)", browsers),
                HelpTopic.Section(
                    "Hurl and Bruno (with a fake)",
                    [
                        .code(
                            """
                            authctl exec --set HURL_VARIABLE_token=token -- hurl --test shop.hurl
                            authctl exec --set TOKEN=token -- bru run --env ci
                            """),
                        .paragraph(
                            "Use `{{token}}` in a Hurl request, and `{{process.env.TOKEN}}` in a Bruno request."),
                    ]),
                HelpTopic.Section(
                    "A load test with k6 (with a fake)",
                    [
                        .code(
                            """
                            authctl users create --count 1000 --name 'load-{n}' \\
                                --journal load.journal --credentials load.ndjson
                            authctl users login --credentials load.ndjson --tokens tokens.ndjson
                            k6 run load.js
                            authctl users delete --journal load.journal \\
                                --credentials load.ndjson --yes
                            """),
                        .paragraph("The script `load.js` reads a token for each virtual user:"),
                        .code(
                            """
                            const lines = open('tokens.ndjson').trim().split('\\n')
                            const { token } = JSON.parse(lines[__VU % lines.length])
                            """),
                    ]),
                HelpTopic.Section(
                    "pytest (with a fake)",
                    [
                        .code("authctl serve --ephemeral --seed users.csv -- pytest"),
                        .paragraph("The tests read the server from AUTHCTL_SERVER and AUTHCTL_APP_ID."),
                    ]),
                HelpTopic.Section("Users with roles", roles),
                HelpTopic.Section("Moving accounts to another server", moves),
                HelpTopic.Section("Apps without passwords (with a fake)", codes),
                HelpTopic.Section("Who may do what (not run as a job)", accessChecks),
                HelpTopic.Section(
                    "GitHub Actions (not run as a job)",
                    [
                        .code(
                            """
                            env:
                              AUTHCTL_BACKEND: rest-auth
                              AUTHCTL_SERVER: https://example.org/dj-rest-auth
                            steps:
                              - run: authctl login ci-user
                                env:
                                  AUTHCTL_PASSWORD: ${{ secrets.APP_PASSWORD }}
                              - run: authctl exec -- npm test
                              - run: authctl logout
                                if: always()
                            """)
                    ]),
                HelpTopic.Section(
                    "GitLab CI (not run as a job)",
                    [
                        .code(
                            """
                            test:
                              variables:
                                AUTHCTL_BACKEND: rest-auth
                                AUTHCTL_SERVER: https://example.org/dj-rest-auth
                              script:
                                - printenv APP_PASSWORD | authctl login ci-user --password-stdin
                                - authctl exec -- npm test
                              after_script:
                                - authctl logout
                            """),
                        .paragraph(
                            """
                            APP_PASSWORD is a masked variable of the GitLab project. On a site with one token for each \
                            user, `authctl logout` also ends the sessions of parallel jobs: log in as another user in \
                            each job, or leave it out.
                            """),
                    ]),
                HelpTopic.Section(
                    "Firebase's emulator in a CI job (not run as a job)",
                    [
                        .code(
                            "firebase emulators:exec --only auth --project demo-shop 'sh flow.sh'"),
                        .paragraph("`emulators:exec` sets FIREBASE_AUTH_EMULATOR_HOST. The script `flow.sh`:"),
                        .code(
                            """
                            export AUTHCTL_BACKEND=firebase AUTHCTL_APP_ID=demo-shop
                            authctl signup ada@example.org --password-file password.txt
                            authctl verify-email
                            authctl mail --link | authctl verify-email --key-stdin
                            authctl password reset ada@example.org
                            authctl mail --link |
                                authctl password reset --key-stdin --new-password-file new.txt
                            authctl login ada@example.org --password-file new.txt
                            authctl token
                            """),
                    ]),
                HelpTopic.Section(
                    "A session in memory only (Linux)",
                    [
                        .code(
                            """
                            export AUTHCTL_CONFIG_DIR=$(mktemp -d -p /dev/shm)
                            trap 'authctl logout; rm -r "$AUTHCTL_CONFIG_DIR"' EXIT
                            authctl login ada --password-stdin < password.txt
                            authctl whoami
                            """),
                        .paragraph(
                            """
                            The new configuration folder has no profiles: set the server with AUTHCTL_BACKEND, \
                            AUTHCTL_SERVER and AUTHCTL_APP_ID.
                            """),
                    ]),
                HelpTopic.Section(
                    "Password managers (with a fake)",
                    [
                        .code(
                            """
                            op read op://ci/shop/password | authctl login ada --password-stdin
                            pass show shop/ada | sed -n 1p | authctl login ada --password-stdin
                            systemd-creds decrypt ada.cred - | authctl login ada --password-stdin
                            """)
                    ]),
            ])
    }

    private static let browsers: [HelpTopic.Block] = [
        .code(
            """
            authctl users login --credentials team.ndjson \\
                --storage-states states --origin http://localhost:3000
            npx playwright test
            """),
        .paragraph(
            """
            A run needs a session for each browser: two browsers that refresh the same session end it on Supabase. \
            In `playwright.config.js`, a project for each role, with one worker:
            """),
        .code(
            """
            workers: 1,
            projects: ['admin', 'member', 'outsider'].map(role => ({
                name: role, use: { storageState: `states/${role}.json` },
            })),
            """),
        .paragraph("In a test file, a user for each worker, of the users ci-1, ci-2 and so on:"),
        .code(
            """
            const test = base.extend({
                storageState: ({}, use) =>
                    use(`states/ci-${base.info().parallelIndex + 1}.json`),
            })
            """),
        .paragraph("In Cypress, a command that logs in as a role:"),
        .code(
            """
            Cypress.Commands.add('logInAs', role => cy.session(role, () => {
                cy.readFile(`states/${role}.json`).then(({ cookies, origins }) => {
                    for (const { name, value, path, secure, httpOnly } of cookies)
                        cy.setCookie(name, value, { path, secure, httpOnly })
                    cy.visit('/').then(page => {
                        for (const { name, value } of origins[0]?.localStorage ?? [])
                            page.localStorage.setItem(name, value)
                    })
                })
            }))
            """),
        .paragraph("A browser that an agent drives, with the rights of a member:"),
        .code("npx @playwright/mcp --isolated --storage-state states/member.json"),
    ]

    private static let roles: [HelpTopic.Block] = [
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

    private static let moves: [HelpTopic.Block] = [
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

    private static let codes: [HelpTopic.Block] = [
        .paragraph(
            "The app sends a code or link. `shop` is its profile. With Mailpit, for new accounts of Supabase or PocketBase:"
        ),
        .code(
            """
            authctl profile set shop mailpit http://127.0.0.1:8025
            for user in ada bob; do
                authctl -p shop --as $user signup $user@example.org \\
                    --send-code --from-mail --wait 10
            done
            authctl -p shop --as ada exec -- npm test
            """),
        .paragraph("With a folder of e-mails, for accounts that exist:"),
        .code(
            """
            authctl profile set shop mailDir "$PWD/mails"
            authctl -p shop --as ada login ada@example.org \\
                --send-code --from-mail --wait 10
            authctl -p shop users login --send-code \\
                --credentials users.ndjson --tokens tokens.ndjson
            """),
        .paragraph("Firebase's emulator lists its e-mails itself. The first login creates the account:"),
        .code(
            """
            export FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:9099
            export AUTHCTL_BACKEND=firebase AUTHCTL_APP_ID=demo-shop
            authctl --as ada login ada@example.org --send-code --from-mail
            authctl --as ada exec -- npm test
            """),
    ]

    private static let accessChecks: [HelpTopic.Block] = [
        .paragraph("The job fails with exit code 11 if a user may do more, or less, than `access.txt` says:"),
        .code(
            """
            env:
              AUTHCTL_BACKEND: parse
              AUTHCTL_SERVER: https://example.org/parse
              AUTHCTL_APP_ID: shop
              AUTHCTL_PASSWORD: ${{ secrets.APP_PASSWORD }}
            steps:
              - run: authctl login ada
              - run: authctl --as bob login
              - run: authctl check access.txt --strict
            """),
        .paragraph(
            """
            Tables for Parse, Django, PocketBase and Supabase's Data API. The methods other than GET need `--writes`, \
            and {note} needs `--set note=ID`:
            """),
        .code(
            """
            request                                      me   bob  anyone
            GET /users/me                                yes  yes  no
            GET /sessions                                yes  yes  no
            """),
        .code(
            """
            request                                      me   bob  anyone
            GET    /api/notes/{note}/                    yes  404  401
            """),
        .code(
            """
            request                                      me   bob  anyone
            GET    /api/collections/notes/records        yes  no   no
            POST   /api/collections/notes/records @n.json  yes  no  no
            """),
        .code(
            """
            request                                      me   bob  anyone
            GET    /rest/v1/notes?select=id              yes  no   no
            PATCH  /rest/v1/notes?id=eq.{note} @n.json   yes  no   no
            """),
    ]
}
