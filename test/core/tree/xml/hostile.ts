import fc from "fast-check";
import { writeXml } from "../../../../src/core/tree/xml/write.js";
import { xmlTree } from "../arbitraries.js";

/** Pieces of markup, well-formed and not, from which a grammar-blind generator builds documents. */
const pieces = [
  ..."<>/&;='\"[]!?- \t\r\n#:aé1".split(""),
  ..."<a>|</a>|<b|/>|<a/>|<!--|-->|--|<![CDATA[|]]>|<?|?>|<?xml|<?xml version='1.0'?>|&amp;|&lt;|&#13;|&#x20;|&#0;|&x;|name=|'v'|\"v\"".split(
    "|",
  ),
  " k = 'v' ",
  " encoding='UTF-8'",
  "<!DOCTYPE a>",
  "😀",
  "\u0001",
  "\u007f",
  "\u0085",
  "\ufffe",
  "\u00b7",
];

const piece = fc.constantFrom(...pieces);
const written = fc.tuple(xmlTree, fc.boolean()).map(([tree, indent]) => writeXml(tree, { indent, secrets: "label" }));

/** A valid document with some places cut out, doubled, or filled with markup. */
const mutated = fc
  .tuple(
    written,
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 }), piece, fc.constantFrom("insert", "delete", "replace")), { minLength: 1, maxLength: 3 }),
  )
  .map(([xml, changes]) => {
    let text = xml;
    for (const [place, length, added, action] of changes) {
      const at = place % (text.length + 1);
      text = text.slice(0, at) + (action === "delete" ? "" : added) + text.slice(action === "insert" ? at : at + length);
    }
    return text;
  });

const truncated = fc.tuple(written, fc.nat()).map(([xml, place]) => xml.slice(0, place % (xml.length + 1)));
const built = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(""));
const wrapped = built.map((inner) => `<a>${inner}</a>`);

/** Documents of every kind, about half of them well-formed. */
export const hostileDocument = fc.oneof(written, mutated, truncated, built, wrapped);
