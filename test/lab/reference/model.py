"""A small reference model of the firewall's configuration API.

Written from the specification alone ("Firewall Management XML API": action table, addressing rules 1 to 5), on lxml.
It shares no code with the lab; `compare.py` holds the lab to it.
"""
import copy

from lxml import etree

# Marks that a server adds and that no client sent.
MARKS = ("admin", "time", "dirtyId", "uuid")


def canonical(element):
    """Text that is equal for two elements with the same tags, names, texts and order."""
    clean = copy.deepcopy(element)
    for node in clean.iter():
        for mark in MARKS:
            node.attrib.pop(mark, None)
        if len(node) and (node.text or "").strip() == "":
            node.text = None
        node.tail = None
    return etree.tostring(clean, method="c14n").decode()


class Model:
    """The candidate configuration and the four actions of the specification on it. Writes say whether there was anything to do."""

    def __init__(self, root):
        self.root = copy.deepcopy(root)

    def find(self, xpath):
        """`xpath` begins with the root's own tag, as the specification's paths do."""
        return etree.ElementTree(self.root).xpath(xpath)

    def get(self, xpath):
        """Elements that match; an empty list is a successful reply without content."""
        return self.find(xpath)

    def set(self, xpath, element):
        """Adds the element content under the element at xpath, making the element where it is not there."""
        parent = self._make(xpath)
        for child in etree.fromstring(f"<wrap>{element}</wrap>"):
            merge(parent, child)
        return True

    def edit(self, xpath, element):
        """Replaces the element at xpath; a member by the replacement, wherever the old text stood."""
        wanted = etree.fromstring(element)
        found = self.find(xpath)
        if not found:
            parent, _ = split(xpath)
            self._make(parent).append(wanted)
        else:
            (old,) = found
            old.getparent().replace(old, wanted)
        return True

    def delete(self, xpath):
        """Removes what matches."""
        found = self.find(xpath)
        for element in found:
            element.getparent().remove(element)
        return bool(found)

    def _make(self, xpath):
        found = self.find(xpath)
        if found:
            return found[0]
        parent, step = split(xpath)
        element = etree.SubElement(self._make(parent), step.split("[", 1)[0])
        if "[@name=" in step:
            element.set("name", step.split("[@name=", 1)[1][1:-2])
        return element


def merge(parent, child):
    """Members are added once; entries are found by name, other elements by tag; leaves take the new text."""
    if child.tag == "member":
        if all(member.text != child.text for member in parent.findall("member")):
            parent.append(copy.deepcopy(child))
        return
    name = child.get("name")
    twin = next((node for node in parent.findall(child.tag) if node.get("name") == name), None)
    if twin is None:
        parent.append(copy.deepcopy(child))
        return
    if len(child) == 0 and (child.text or "") != "":
        twin.text = child.text
    for grandchild in child:
        merge(twin, grandchild)


def split(xpath):
    """The xpath of the parent, and the last step; slashes inside quotes do not separate."""
    quote = None
    for at in range(len(xpath) - 1, -1, -1):
        character = xpath[at]
        if quote:
            quote = None if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "/":
            return xpath[:at], xpath[at + 1 :]
    raise ValueError(xpath)
