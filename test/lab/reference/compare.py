"""Sends random get, set, edit and delete requests through pan-python's `panxapi.py`. After each, compares the lab's candidate with the
reference model.

    /usr/bin/python3 compare.py --panxapi PATH/bin/panxapi.py --ready ready.json --config edge.xml [--requests 1000] [--seed 1]

The lab must have exactly that configuration. Needs Debian's python3-lxml and a checkout of pan-python, which you install manually
(docs/contributing/conformance.md). Exits with 0 if all comparisons are equal.
"""
import argparse
import os
import random
import re
import sys

from lxml import etree
from model import Model, canonical
from random_requests import DEVICE, random_request

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "clients"))
from panxapi import Panxapi

TIME = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d")


class Difference(Exception):
    """The reply or the candidate of the lab differs from the specification."""


def reply_to(client, words):
    """Returns the root of the reply. All requests are valid, so every reply must report success."""
    done = client.run("-x", *words)
    if not done.out.lstrip().startswith("<"):
        raise Difference(f"no XML: {done}")
    reply = etree.fromstring(done.out)
    if reply.get("status") != "success":
        raise Difference(f"refused: {done.out}")
    return reply


def expect(what, lab, model):
    if lab != model:
        raise Difference(f"{what}\n--- lab\n{lab}\n--- model\n{model}")


def check_read(reply, wanted, marks):
    """Checks code 19, both counts, and the matching elements. The specification defines no code for an empty result."""
    result = reply.find("result")
    expect("elements", [canonical(element) for element in result], [canonical(element) for element in wanted])
    if not wanted:
        return
    expect("code", reply.get("code"), "19")
    expect("counts", (result.get("total-count"), result.get("count")), (str(len(wanted)), str(len(wanted))))
    for element in result if marks else ():
        if not element.get("admin") or not TIME.fullmatch(element.get("time", "")):
            raise Difference(f"an element without admin or time: {etree.tostring(element)[:200]}")


def check_write(client, reply, changed, model):
    """Checks code 20 and its message if the request changed something. Then compares all nodes of the device entry."""
    if changed:
        expect("reply", (reply.get("code"), reply.findtext("msg")), ("20", "command succeeded"))
    candidate = reply_to(client, ["-g", DEVICE]).find("result")
    expect("candidate", [canonical(element) for element in candidate], [canonical(element) for element in model.find(DEVICE)])


def main():
    parser = argparse.ArgumentParser()
    for name in ("panxapi", "ready", "config"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--marks", action="store_true", help="the lab runs with --spec-only: each element in a reply has admin and time")
    arguments = parser.parse_args()
    model = Model(etree.parse(arguments.config, etree.XMLParser(remove_comments=True)).getroot())
    client = Panxapi(arguments.panxapi, arguments.ready)
    chance = random.Random(arguments.seed)
    counts = {}
    for sent in range(1, arguments.requests + 1):
        action, words, on_model = random_request(chance, model)
        try:
            reply = reply_to(client, words)
            if action == "get":
                check_read(reply, on_model(model), arguments.marks)
            else:
                check_write(client, reply, on_model(model), model)
        except Difference as difference:
            print(f"seed {arguments.seed}, request {sent}: {words}\n{difference}")
            return 1
        counts[action] = counts.get(action, 0) + 1
    print(f"seed {arguments.seed}: {arguments.requests} requests {counts}, every comparison equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
