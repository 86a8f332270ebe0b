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
}
