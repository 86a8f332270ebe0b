import CommandLineKit

extension HelpTopics {
    static let browsers: [HelpTopic.Block] = [
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

    static let codes: [HelpTopic.Block] = [
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

    static let accessChecks: [HelpTopic.Block] = [
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
