import { parsedNode, type TreeNode } from "../node.js";
import { TreeBuilder } from "./builder.js";
import { xmlBytes } from "./bytes.js";
import { DEFAULT_MAX_DEPTH, DEFAULT_MAX_ELEMENTS, type XmlLimits } from "./limits.js";
import { malformed, refusal, shown } from "./malformed.js";
import { readCdata, refuseDoctype, skipComment, skipDeclaration, skipInstruction } from "./markup.js";
import { isBlank, Scanner } from "./scanner.js";
import { startsWith } from "./string-pool.js";

export type { XmlLimits } from "./limits.js";

/**
 * Parses one XML 1.0 document strictly. Any violation, including a truncated document, is refused with line and column: a truncated reply
 * would look as if the rest had been deleted.
 * Drops white space between elements and keeps it in leaves. Mixed content has its texts as `#text` children. Supports the five named
 * entities and numeric references, but no document type. Bytes are UTF-8 or ASCII. Throws `xml-malformed`, `xml-doctype`, `xml-encoding`,
 * `xml-too-deep`, `xml-too-large`.
 */
export function parseXml(input: Uint8Array | string, limits: XmlLimits = {}): TreeNode {
  const xml = xmlBytes(input, limits);
  const scanner = new Scanner(xml);
  scanner.at = skipDeclaration(xml);
  skipMisc(scanner);
  if (xml[scanner.at] !== 0x3c) {
    throw malformed(xml, scanner.at, scanner.at >= xml.length ? "the document is empty" : "text before the first element");
  }
  const root = readRoot(scanner, { depth: limits.maxDepth ?? DEFAULT_MAX_DEPTH, elements: limits.maxElements ?? DEFAULT_MAX_ELEMENTS });
  skipMisc(scanner);
  if (scanner.at < xml.length) throw malformed(xml, scanner.at, `${shown(xml, scanner.at)} after the end of the root element`);
  return root;
}

/** Skips white space, comments and processing instructions around the root element. */
function skipMisc(scanner: Scanner): void {
  const { xml } = scanner;
  for (;;) {
    scanner.skipSpace();
    if (xml[scanner.at] !== 0x3c) return;
    const code = xml[scanner.at + 1];
    if (code === 0x3f) scanner.at = skipInstruction(xml, scanner.at);
    else if (code === 0x21) skipDeclarationLike(scanner);
    else return;
  }
}

function skipDeclarationLike(scanner: Scanner): void {
  const { xml, at } = scanner;
  if (startsWith(xml, at, "<!--")) scanner.at = skipComment(xml, at);
  else if (/^<!doctype/i.test(xml.toString("latin1", at, at + 9))) refuseDoctype(xml, at);
  else throw malformed(xml, at, '"<!" that begins no comment');
}

interface Bounds {
  readonly depth: number;
  readonly elements: number;
}

function readRoot(scanner: Scanner, bounds: Bounds): TreeNode {
  const builder = new TreeBuilder();
  readStartTag(scanner, builder, bounds);
  readContent(scanner, builder, bounds);
  return builder.root;
}

/**
 * Reads the content of the root element and its end tag. No code follows the loop, because V8 would discard the compiled code when reaching
 * it.
 */
function readContent(scanner: Scanner, builder: TreeBuilder, bounds: Bounds): void {
  const { xml } = scanner;
  while (builder.depth > 0) {
    const { at } = scanner;
    if (xml[at] !== 0x3c) {
      readTextRun(scanner, builder);
      continue;
    }
    const code = xml[at + 1];
    if (code === 0x2f) readEndTag(scanner, builder);
    else if (code === 0x21) readInnerDeclaration(scanner, builder);
    else if (code === 0x3f) scanner.at = skipInstruction(xml, at);
    else readStartTag(scanner, builder, bounds);
  }
}

function readStartTag(scanner: Scanner, builder: TreeBuilder, bounds: Bounds): void {
  const { xml } = scanner;
  const from = scanner.at++;
  const tag = scanner.readName();
  const tagLength = scanner.at - from - 1;
  if (builder.depth >= bounds.depth || builder.elements >= bounds.elements) throw beyond(xml, from, builder, bounds);
  if (xml[scanner.at] === 0x3e) {
    scanner.at++;
    const text = builder.depth === 0 ? undefined : scanner.readLeaf(from + 1, tagLength);
    if (text === undefined) builder.open(parsedNode(tag), from + 1, tagLength);
    else builder.addLeaf(tag, text);
    return;
  }
  scanner.readAttributes();
  builder.open(parsedNode(tag, scanner.name, "", scanner.attributes), from + 1, tagLength);
  if (scanner.closed) builder.close();
}

function beyond(xml: Buffer, from: number, { depth }: TreeBuilder, bounds: Bounds): Error {
  if (depth >= bounds.depth)
    return refusal(
      "xml-too-deep",
      xml,
      from,
      `elements are nested more than ${bounds.depth} levels deep`,
      "Check the program that wrote it. No configuration is that deep.",
    );
  return refusal(
    "xml-too-large",
    xml,
    from,
    `there are more than ${bounds.elements} elements`,
    "Check the program that wrote it. No configuration has as many.",
  );
}

function readEndTag(scanner: Scanner, builder: TreeBuilder): void {
  const { xml } = scanner;
  const from = scanner.at;
  scanner.at = from + 2;
  if (!scanner.skip(builder.tagOffset, builder.tagLength)) throw mismatch(scanner, from);
  if (xml[scanner.at] !== 0x3e) {
    scanner.skipSpace();
    if (xml[scanner.at] !== 0x3e) throw mismatch(scanner, from);
  }
  scanner.at++;
  builder.close();
}

function mismatch({ xml }: Scanner, from: number): Error {
  const isCut = xml.indexOf(0x3e, from) < 0;
  return malformed(xml, from, isCut ? "the document ends inside an end tag" : "the end tag does not match the open element");
}

/** Blank text is only read as a string if it may be the text of a leaf. */
function readTextRun(scanner: Scanner, builder: TreeBuilder): void {
  const { xml, at } = scanner;
  scanner.skipSpace();
  const end = scanner.at;
  if (end > at && xml[end] === 0x3c && !builder.hasText) {
    const code = xml[end + 1];
    if (code !== 0x21 && code !== 0x3f && (code !== 0x2f || builder.hasChildren)) return;
  }
  scanner.at = at;
  const text = scanner.readText();
  builder.addText(text, !isBlank(text) || xml.subarray(at, scanner.at).includes(0x26));
}

function readInnerDeclaration(scanner: Scanner, builder: TreeBuilder): void {
  const { xml, at } = scanner;
  if (startsWith(xml, at, "<![CDATA[")) {
    const { text, end } = readCdata(xml, at);
    builder.addText(text, text !== "");
    scanner.at = end;
  } else skipDeclarationLike(scanner);
}
