import TestSupport
import Testing

/// `--fill-user` copies values from Facebook into empty fields, if the site allows changes.
@Suite(.serialized, .enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites)
struct FillUserSiteTests {
    private func fields(of world: Sandbox) throws -> JSONDocument {
        try world.run("whoami", "--json").document().object("user").object("fields")
    }

    @Test(arguments: FacebookPlace.restAuths)
    func `a link fills empty names once and keeps others`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place)
        let world = visitor.world
        try world.join("flo")
        #expect(try world.link(facebook: "tok-ann").stdout.contains("1001"))
        #expect(try fields(of: world).string("first_name") == "")
        let fill = try world.link(facebook: "tok-ann", "--fill-user")
        #expect(fill.stdout.contains("first_name") && fill.stdout.contains("last_name"), "\(fill.stderr)")
        // The name of another Facebook user changes no field.
        let other = try world.link(facebook: "tok-bob", "--fill-user", "--json").document()
        #expect(other.strings("filled") == [])
        #expect(try fields(of: world).string("first_name") == "Ann")
        #expect(try fields(of: world).string("last_name") == "Face")
        #expect(try world.run("whoami").stdout.contains("flo@example.com"))
        #expect(visitor.keepsNothing)
    }

    @Test(arguments: FacebookPlace.allauths)
    func `a link sends the address to the site, which verifies it by mail once`(place: FacebookPlace) throws {
        let visitor = try FacebookVisitor(place)
        let world = visitor.world
        try world.join("gia")
        try visitor.server.dropAddress(of: "gia")
        let mails = visitor.server.mails.count
        let fill = try world.link(facebook: "tok-dan", "--fill-user")
        #expect(fill.stdout.contains("1007"), "\(fill.stderr)")
        #expect(fill.stderr.contains("'email'"))
        #expect(visitor.server.mails.count == mails + 1)
        #expect(visitor.server.mails.last?.text.hasPrefix("To: dan.face@example.com\n") == true)
        let again = try world.link(facebook: "tok-dan", "--fill-user")
        #expect(again.exitCode == 0)
        #expect(again.warnings == [])
        #expect(visitor.server.mails.count == mails + 1)
    }
}
