"""Sends random get, set, edit and delete requests through pan-python's `panxapi.py` and compares the lab's candidate
with the reference model after each.

    /usr/bin/python3 compare.py --panxapi PATH/bin/panxapi.py --url https://127.0.0.1:8443 --ca ca.pem \
        --config edge.xml [--requests 1000] [--seed 1]

Needs Debian's python3-lxml and a checkout of pan-python; both are fetched by hand (see docs/conformance.md).
Exits 0 when every comparison was equal.
"""
import argparse
import random
import subprocess
import sys
import urllib.parse

from lxml import etree
from model import Model, canonical

DEVICE = "/config/devices/entry[@name='localhost.localdomain']"
VSYS = f"{DEVICE}/vsys/entry[@name='vsys1']"
ADDRESSES = f"{VSYS}/address"
GROUPS = f"{VSYS}/address-group"
TAGS = f"{VSYS}/tag"
RULES = f"{VSYS}/rulebase/security/rules"
SYSTEM = f"{DEVICE}/deviceconfig/system"


class Client:
    """`panxapi.py`, one process a request."""

    def __init__(self, arguments):
        url = urllib.parse.urlparse(arguments.url)
        self.base = [sys.executable, arguments.panxapi, "-h", url.hostname, "-P", str(url.port), "--cafile", arguments.ca, "-x", "-l", "admin:admin"]
        key = etree.fromstring(self.run("-k")).findtext("result/key")
        self.base[-2:] = ["-K", key]

    def run(self, *words):
        """The reply's XML. panxapi exits 1 for replies that say error; those have XML, too."""
        done = subprocess.run([*self.base, *words], capture_output=True, text=True, timeout=60)
        if not done.stdout.strip().startswith("<"):
            raise RuntimeError(f"{words}: {done.stderr}")
        return done.stdout


def request(chance, model):
    """One random request: words for panxapi, and what it does to the model."""
    host = f"host-{chance.randrange(12)}"
    other = f"host-{chance.randrange(12)}"
    address = f"{ADDRESSES}/entry[@name='{host}']"
    number = f"10.9.{chance.randrange(4)}.{chance.randrange(1, 200)}"
    user = f"corp\\user {chance.randrange(6)}"
    rule = f"{RULES}/entry[@name='{chance.choice(['publish-web', 'web-to-db', 'staff-internet'])}']"
    users = f"{rule}/source-user"
    tag = f"tag {chance.randrange(5)}"
    sets = [
        (ADDRESSES, f"<entry name='{host}'><ip-netmask>{number}</ip-netmask></entry>"),
        (ADDRESSES, f"<entry name='{host}'><ip-netmask>{number}</ip-netmask></entry><entry name='{other}'><ip-netmask>{number}</ip-netmask></entry>"),
        (address, f"<ip-netmask>{number}</ip-netmask><description>a &amp; b {chance.randrange(9)}</description>"),
        (TAGS, f"<entry name='{tag}'><comments>c{chance.randrange(9)}</comments></entry>"),
        (rule, f"<source-user><member>{user}</member></source-user>"),
        (SYSTEM, f"<hostname>fw-{chance.randrange(99)}</hostname>"),
        (SYSTEM, f"<login-banner>{'x' * chance.randrange(1, 60)}</login-banner>"),
    ]
    edits = [
        (address, f"<entry name='{host}'><ip-netmask>{number}</ip-netmask></entry>"),
        (f"{address}/ip-netmask", f"<ip-netmask>{number}</ip-netmask>"),
        (f"{users}/member[text()='{user}']", f"<member>corp\\user {chance.randrange(6)}</member>"),
        (users, f"<source-user><member>{user}</member><member>alice</member></source-user>"),
        (f"{SYSTEM}/hostname", f"<hostname>fw-{chance.randrange(99)}</hostname>"),
        (f"{TAGS}/entry[@name='{tag}']", f"<entry name='{tag}'><comments>e</comments></entry>"),
    ]
    deletes = [
        address,
        f"{address}/description",
        f"{users}/member[text()='{user}']",
        f"{TAGS}/entry[@name='{tag}']",
        f"{ADDRESSES}/entry[@name='{host}' or @name='{other}']",
        f"{SYSTEM}/login-banner",
    ]
    gets = [ADDRESSES, address, users, f"{users}/member[position()<3]", f"{users}/member[2]", RULES, f"{SYSTEM}/hostname", f"{ADDRESSES}/entry[@name='{host}' or @name='{other}']"]
    kind = chance.choice(["get", "set", "set", "edit", "delete"])
    if kind == "get":
        xpath = chance.choice(gets)
        return ["-g", xpath], lambda: model.get(xpath)
    if kind == "set":
        xpath, element = chance.choice(sets)
        return ["-S", element, xpath], lambda: model.set(xpath, element)
    if kind == "edit":
        xpath, element = chance.choice(edits)
        return ["-e", element, xpath], lambda: model.edit(xpath, element)
    xpath = chance.choice(deletes)
    return ["-d", xpath], lambda: model.delete(xpath)


def sensible(model, words):
    """Requests whose meaning the specification leaves open are not sent."""
    if words[0] != "-e" or "member[text()" not in words[2]:
        return True
    users = words[2].rsplit("/", 1)[0]
    wanted = etree.fromstring(words[1]).text
    return bool(model.find(words[2])) and all(member.text != wanted for member in model.find(f"{users}/member"))


def main():
    parser = argparse.ArgumentParser()
    for name in ("panxapi", "url", "ca", "config"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    parser = etree.XMLParser(remove_comments=True)
    model = Model(etree.parse(arguments.config, parser).getroot())
    client = Client(arguments)
    chance = random.Random(arguments.seed)
    sent = 0
    while sent < arguments.requests:
        words, on_model = request(chance, model)
        if not sensible(model, words):
            continue
        reply = etree.fromstring(client.run(*words))
        expected = on_model()
        sent += 1
        if words[0] == "-g":
            got = [canonical(element) for element in reply.find("result")]
            wanted = [canonical(element) for element in expected]
        else:
            got = [canonical(etree.fromstring(client.run("-g", xpath)).find("result")[0]) for xpath in (VSYS, SYSTEM)]
            wanted = [canonical(model.find(xpath)[0]) for xpath in (VSYS, SYSTEM)]
        if got != wanted:
            print(f"request {sent} {words}\nreply {etree.tostring(reply).decode()[:400]}\n--- lab\n{got}\n--- model\n{wanted}")
            return 1
    print(f"{sent} requests, every comparison equal (seed {arguments.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
