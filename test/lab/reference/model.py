"""A small reference model of the firewall's configuration API.

It implements only the specification ("Firewall Management XML API": action table, addressing rules 1 to 5) with lxml. It shares no code
with the lab. `compare.py` compares the lab with it.
"""
import copy

from lxml import etree

# Attributes that the server adds.
MARKS = ("admin", "time", "dirtyId", "uuid")


def canonical(element):
    """Returns a text that is equal for elements with the same tags, names, texts and order."""
    clean = copy.deepcopy(element)
    for node in clean.iter():
        for mark in MARKS:
            node.attrib.pop(mark, None)
        if len(node) and (node.text or "").strip() == "":
            node.text = None
        node.tail = None
    return etree.tostring(clean, method="c14n").decode()


class Model:
    """The candidate configuration and the four actions of the specification. Writes return whether they changed something."""

    def __init__(self, root):
        self.root = copy.deepcopy(root)

    def find(self, xpath):
        """Returns the elements at `xpath`, which starts with the tag of the root, as in the specification."""
        return etree.ElementTree(self.root).xpath(xpath)

    def get(self, xpath):
        """Returns the matching elements. An empty list is a successful reply without content."""
        return self.find(xpath)

    def set(self, xpath, element):
        """Adds the element content under the element at xpath. Creates that element if it does not exist."""
        parent = self._make(xpath)
        for child in etree.fromstring(f"<wrap>{element}</wrap>"):
            merge(parent, child)
        return True

    def edit(self, xpath, element):
        """Replaces the element at xpath. A replaced member keeps its position."""
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
        """Removes the matching elements."""
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
    """Merges a child: adds a member only once, finds entries by name and other elements by tag, and replaces the text of leaves."""
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
    """Returns the xpath of the parent and the last step. Slashes in quotes are not separators."""
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
