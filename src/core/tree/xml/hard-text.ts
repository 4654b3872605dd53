import { indexOfNonXml } from "./characters.js";
import { malformed, shown } from "./malformed.js";
import { readReference } from "./references.js";

/** A text and the offset of the byte that ends it. */
interface Read {
  readonly text: string;
  readonly end: number;
}

/** Reads character data with references, line ends, brackets or non-ASCII characters, up to the next `<`. */
export function readHardText(xml: Buffer, from: number): Read {
  let text = "";
  let plain = from;
  for (let at = from; at < xml.length; at++) {
    const code = xml[at];
    if (code === 0x3c) return { text: text + decode(xml, plain, at), end: at };
    if (code === 0x26) {
      const reference = readReference(xml, at);
      text += decode(xml, plain, at) + reference.text;
      plain = reference.end;
      at = reference.end - 1;
    } else if (code === 0x0d) {
      text += `${decode(xml, plain, at)}\n`;
      if (xml[at + 1] === 0x0a) at++;
      plain = at + 1;
    } else if (code === 0x5d && xml[at + 1] === 0x5d && xml[at + 2] === 0x3e) {
      throw malformed(xml, at, '"]]>" in text; write ]]&gt;');
    }
  }
  decode(xml, plain, xml.length);
  throw malformed(xml, xml.length, "the document ends inside text");
}

/** Reads an attribute value with references, white space, the other quote or non-ASCII characters, up to `quote`. */
export function readHardValue(xml: Buffer, from: number, quote: number): Read {
  let text = "";
  let plain = from;
  for (let at = from; at < xml.length; at++) {
    const code = xml[at];
    if (code === quote) return { text: text + decode(xml, plain, at), end: at };
    if (code === 0x26) {
      const reference = readReference(xml, at);
      text += decode(xml, plain, at) + reference.text;
      plain = reference.end;
      at = reference.end - 1;
    } else if (code === 0x0a || code === 0x09 || code === 0x0d) {
      text += `${decode(xml, plain, at)} `;
      if (code === 0x0d && xml[at + 1] === 0x0a) at++;
      plain = at + 1;
    } else if (code === 0x3c) throw malformed(xml, at, '"<" in an attribute value; write &lt;');
  }
  decode(xml, plain, xml.length);
  throw malformed(xml, xml.length, "the document ends inside an attribute value");
}

function decode(xml: Buffer, from: number, to: number): string {
  const text = xml.toString("utf8", from, to);
  const bad = indexOfNonXml(text);
  if (bad < 0) return text;
  const at = from + Buffer.byteLength(text.slice(0, bad));
  throw malformed(xml, at, `${shown(xml, at)} is not allowed in XML`);
}
