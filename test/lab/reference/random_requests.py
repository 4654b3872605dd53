"""Generates random requests that the specification defines, as arguments for `panxapi.py` and as calls of the model."""

DEVICE = "/config/devices/entry[@name='localhost.localdomain']"
VSYS = f"{DEVICE}/vsys/entry[@name='vsys1']"
ADDRESSES = f"{VSYS}/address"
TAGS = f"{VSYS}/tag"
RULES = f"{VSYS}/rulebase/security/rules"
SYSTEM = f"{DEVICE}/deviceconfig/system"
# The specification writes the only device entry without its name.
ETHERNET = "/config/devices/entry/network/interface/ethernet"

USERS = ["alice", "corp\\bob", "corp\\o'neil", "corp\\the user", 'corp\\"quoted"', "corp\\müller & söhne", "a<b"]


def quoted(text):
    """Returns an XPath literal. XPath 1.0 has no escape, so a text with one kind of quote uses the other kind."""
    return f'"{text}"' if "'" in text else f"'{text}'"


def xml(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def random_request(chance, model):
    """Returns the action, the arguments, and a function that does the same on a model."""
    while True:
        action = chance.choice(["get", "set", "set", "edit", "delete"])
        xpath, element = chance.choice(PARTS[action](Names(chance)))
        if action == "edit" and not has_meaning(model, xpath, element):
            continue
        if action == "get":
            return action, ["-g", xpath], lambda model: model.get(xpath)
        if action == "set":
            return action, ["-S", element, xpath], lambda model: model.set(xpath, element)
        if action == "edit":
            return action, ["-e", element, xpath], lambda model: model.edit(xpath, element)
        return action, ["-d", xpath], lambda model: model.delete(xpath)


def has_meaning(model, xpath, element):
    """Edits only an existing member. The specification does not define a text that occurs twice in a list."""
    if "/member[text()=" not in xpath:
        return True
    wanted = element[len("<member>") : -len("</member>")]
    return bool(model.find(xpath)) and all(xml(member.text) != wanted for member in model.find(f"{xpath.rsplit('/member[', 1)[0]}/member"))


class Names:
    """Random values of one request."""

    def __init__(self, chance):
        pick = chance.randrange
        self.host, self.other = f"host-{pick(12)}", f"host {pick(12)}"
        self.address = f"{ADDRESSES}/entry[@name='{self.host}']"
        self.number = f"10.9.{pick(4)}.{1 + pick(200)}"
        self.user, self.second = chance.choice(USERS), chance.choice(USERS)
        self.rule = f"{RULES}/entry[@name='{chance.choice(['publish-web', 'web-to-db', 'staff-internet'])}']"
        self.users = f"{self.rule}/source-user"
        self.tag = f"tag {pick(5)}"
        self.unit = 300 + pick(6)
        self.any = pick(99)
        self.position = 1 + pick(4)


def gets(of):
    return [
        (xpath, None)
        for xpath in (
            ADDRESSES,
            of.address,
            f"{of.address}/ip-netmask",
            RULES,
            of.users,
            f"{of.users}/member",
            f"{of.users}/member[position()<{of.position}]",
            f"{of.users}/member[{of.position}]",
            f"{of.users}/member[text()={quoted(of.user)}]",
            f"{RULES}/entry[{of.position}]",
            f"{SYSTEM}/hostname",
            f"{VSYS}/no-such-thing",
            f"{ETHERNET}/entry[@name='ethernet1/2']/layer3/units/entry",
            f"{ADDRESSES}/entry[@name='{of.host}' or @name='{of.other}']",
        )
    ]


def sets(of):
    entry = f"<entry name='{of.host}'><ip-netmask>{of.number}</ip-netmask></entry>"
    unit = f"<entry name='ethernet1/2.{of.unit}'><tag>{of.unit}</tag><ip><entry name='10.{of.unit - 299}.0.1/24'/></ip></entry>"
    return [
        (ADDRESSES, entry),
        (ADDRESSES, f"{entry}<entry name='{of.other}'><ip-netmask>{of.number}</ip-netmask></entry>"),
        (of.address, f"<ip-netmask>{of.number}</ip-netmask><description>a &amp; b &lt;{of.any}&gt; ü</description>"),
        (VSYS, f"<address>{entry}</address><tag><entry name='{of.tag}'/></tag>"),
        (TAGS, f"<entry name='{of.tag}'><comments>c{of.any}</comments></entry>"),
        (of.rule, f"<source-user><member>{xml(of.user)}</member></source-user>"),
        (of.users, f"<member>{xml(of.user)}</member>"),
        (of.rule, f"<description>{of.any}</description>"),
        (SYSTEM, f"<hostname>fw-{of.any}</hostname>"),
        (SYSTEM, f"<login-banner>{'x' * (1 + of.any)}</login-banner>"),
        (ETHERNET, f"<entry name='ethernet1/2'><layer3><units>{unit}</units></layer3></entry>"),
    ]


def edits(of):
    return [
        (of.address, f"<entry name='{of.host}'><ip-netmask>{of.number}</ip-netmask></entry>"),
        (f"{of.address}/ip-netmask", f"<ip-netmask>{of.number}</ip-netmask>"),
        (f"{of.users}/member[text()={quoted(of.user)}]", f"<member>{xml(of.second)}</member>"),
        (of.users, f"<source-user><member>{xml(of.user)}</member><member>user {of.any}</member></source-user>"),
        (f"{SYSTEM}/hostname", f"<hostname>fw-{of.any}</hostname>"),
        (f"{TAGS}/entry[@name='{of.tag}']", f"<entry name='{of.tag}'><comments>e</comments></entry>"),
    ]


def deletes(of):
    return [
        (xpath, None)
        for xpath in (
            of.address,
            f"{of.address}/description",
            f"{of.users}/member[text()={quoted(of.user)}]",
            f"{of.users}/member[{of.position}]",
            f"{of.users}/member[position()<{of.position}]",
            f"{TAGS}/entry[@name='{of.tag}']",
            f"{ADDRESSES}/entry[@name='{of.host}' or @name='{of.other}']",
            f"{SYSTEM}/login-banner",
            f"{ETHERNET}/entry[@name='ethernet1/2']/layer3/units/entry[@name='ethernet1/2.{of.unit}']",
        )
    ]


PARTS = {"get": gets, "set": sets, "edit": edits, "delete": deletes}
