import { indexOfNonXml, isXmlName, isXmlSpace } from "./characters.js";
import { malformed, refusal, shown } from "./malformed.js";
import { startsWith } from "./string-pool.js";

/** Returns the text from `from` to `to`. Refuses characters that XML does not allow. */
function checked(xml: Buffer, from: number, to: number): string {
  const text = xml.toString("utf8", from, to);
  const bad = indexOfNonXml(text);
  if (bad >= 0) {
    const at = from + Buffer.byteLength(text.slice(0, bad));
    throw malformed(xml, at, `${shown(xml, at)} is not allowed in XML`);
  }
  return text;
}

/** Skips the comment at `at` (`<!--`). Returns the offset behind it. */
export function skipComment(xml: Buffer, at: number): number {
  const dashes = xml.indexOf("--", at + 4);
  if (dashes < 0) throw malformed(xml, at, "a comment that does not end");
  if (xml[dashes + 2] !== 0x3e) throw malformed(xml, dashes, '"--" inside a comment');
  checked(xml, at + 4, dashes);
  return dashes + 3;
}

/** Reads the CDATA section at `at` (`<![CDATA[`). Returns its text with LF line ends, and the offset behind it. */
export function readCdata(xml: Buffer, at: number): { readonly text: string; readonly end: number } {
  const end = xml.indexOf("]]>", at + 9);
  if (end < 0) throw malformed(xml, at, "a CDATA section that does not end");
  return { text: checked(xml, at + 9, end).replace(/\r\n?/g, "\n"), end: end + 3 };
}

/** Skips the processing instruction at `at` (`<?`). Returns the offset behind it. */
export function skipInstruction(xml: Buffer, at: number): number {
  const end = xml.indexOf("?>", at + 2);
  if (end < 0) throw malformed(xml, at, "a processing instruction that does not end");
  const body = checked(xml, at + 2, end);
  const space = body.search(/[ \t\r\n]/);
  const target = space < 0 ? body : body.slice(0, space);
  if (/^xml$/i.test(target)) throw malformed(xml, at, "an XML declaration anywhere but at the very start");
  if (!isXmlName(target)) throw malformed(xml, at + 2, "a processing instruction without a proper name");
  return end + 2;
}

/** Refuses a document type. No DTD is ever read, so no entity can be defined. */
export function refuseDoctype(xml: Buffer, at: number): never {
  throw refusal("xml-doctype", xml, at, "it declares a document type", "Check that the address answers with XML, not with a web page.");
}

const DECLARATION =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*("1\.0"|'1\.0')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/;

/** Skips the XML declaration, if present. Refuses versions other than 1.0 and encodings other than UTF-8 and ASCII. */
export function skipDeclaration(xml: Buffer): number {
  if (!startsWith(xml, 0, "<?xml") || !isXmlSpace(xml[5])) return 0;
  const end = xml.indexOf("?>");
  const match = DECLARATION.exec(end < 0 ? "" : xml.toString("utf8", 0, end + 2));
  if (match === null) throw malformed(xml, 0, "the XML declaration is not a proper one for version 1.0");
  const encoding = match[2]?.slice(1, -1);
  if (encoding !== undefined && !/^(utf-8|utf8|us-ascii|ascii)$/i.test(encoding)) {
    throw refusal("xml-encoding", xml, 0, "it declares another encoding than UTF-8", "Convert the document to UTF-8.");
  }
  return end + 2;
}
