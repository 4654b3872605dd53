import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../../src/core/errors.js";
import { parseXml, type XmlLimits } from "../../../../src/core/tree/xml/parse.js";
import { plain } from "../arbitraries.js";

function refusal(input: string | Uint8Array, limits?: XmlLimits): PlumblineError {
  try {
    parseXml(input, limits);
  } catch (error) {
    if (error instanceof PlumblineError) return error;
    throw error;
  }
  throw new Error(`accepted: ${input}`);
}

const leaf = (tag: string, text: string, extra: object = {}) => ({
  tag,
  name: undefined,
  text,
  attributes: undefined,
  children: [],
  ...extra,
});

describe("parseXml", () => {
  it("reads entries, members, attributes and their order", () => {
    const root = parseXml(
      `<?xml version="1.0" encoding="utf-8"?>\n<config urldb="x" version="10.1.0"><a>\n  <entry uuid="u" name="web &amp; more" admin='me'><member>any</member></entry></a></config>`,
    );
    expect([...(root.attributes ?? [])]).toEqual([
      ["urldb", "x"],
      ["version", "10.1.0"],
    ]);
    const entry = root.children[0]?.children[0];
    expect(entry?.name).toBe("web & more");
    expect([...(entry?.attributes ?? [])]).toEqual([
      ["uuid", "u"],
      ["admin", "me"],
    ]);
    expect(entry?.children.map(plain)).toEqual([leaf("member", "any")]);
  });

  it("reads single quotes and spaces around the equals sign, as devices send them", () => {
    const root = parseXml(`<response status = 'error' code = "403"><result><msg>Invalid Credential</msg></result></response >`);
    expect(root.attributes?.get("status")).toBe("error");
    expect(root.attributes?.get("code")).toBe("403");
    expect(root.children[0]?.children[0]?.text).toBe("Invalid Credential");
  });

  it.each<[string, string, string]>([
    ["keeps white space in a leaf", "<a>  \n </a>", "  \n "],
    ["makes line ends LF", "<a>1\r\n2\r3\n4</a>", "1\n2\n3\n4"],
    ["keeps a carriage return that a reference wrote", "<a>&#13;&#xA;&#x41;</a>", "\r\nA"],
    ["knows the five entities", "<a>&lt;&gt;&amp;&quot;&apos;</a>", `<>&"'`],
    ["reads CDATA as it stands", "<a>x<![CDATA[<&>]]]]><![CDATA[>\r\n]]></a>", "x<&>]]>\n"],
    ["joins text around a comment and an instruction", "<a> x<!-- y --> <?z w?>v</a>", " x v"],
    ["takes characters outside the basic plane", "<a>&#x1F600;😀</a>", "😀😀"],
    ["takes brackets in text", "<a>]] ]> [x]</a>", "]] ]> [x]"],
    ["skips a byte order mark", "\ufeff<a>x</a>", "x"],
  ])("%s", (_, xml, text) => {
    expect(plain(parseXml(xml))).toEqual(leaf("a", text));
  });

  it("normalises white space in attribute values, except from character references", () => {
    expect(parseXml(`<a k="1\t2\n3\r\n4\r5&#10;&#9;&quot;'"/>`).attributes?.get("k")).toBe(`1 2 3 4 5\n\t"'`);
  });

  it("drops white space between elements and keeps mixed content", () => {
    expect(plain(parseXml("<a>\n <b/>\n <c/>\n</a>"))).toEqual(leaf("a", "", { children: [leaf("b", ""), leaf("c", "")] }));
    expect(plain(parseXml("<a>x <b/>\n <c/> y</a>"))).toEqual(
      leaf("a", "", { children: [leaf("#text", "x "), leaf("b", ""), leaf("c", ""), leaf("#text", " y")] }),
    );
    expect(plain(parseXml("<a><b/>&#32;<c/><![CDATA[ ]]></a>"))).toEqual(
      leaf("a", "", { children: [leaf("b", ""), leaf("#text", " "), leaf("c", ""), leaf("#text", " ")] }),
    );
  });

  it("distinguishes an empty name from no name", () => {
    expect(parseXml(`<entry name=""/>`).name).toBe("");
    expect(parseXml("<entry/>").name).toBeUndefined();
  });

  it("reads bytes: ASCII, UTF-8, a byte order mark, a part of a larger buffer", () => {
    expect(parseXml(Buffer.from("<a>x</a>")).text).toBe("x");
    expect(parseXml(Buffer.from("\ufeff<é>中😀</é>")).text).toBe("中😀");
    expect(parseXml(new TextEncoder().encode("..<a>x</a>..").subarray(2, -2)).text).toBe("x");
  });

  it("distinguishes texts and tags that differ in one byte, at any length", () => {
    for (let length = 1; length <= 12; length++) {
      const words = Array.from({ length }, (_, at) => `${"x".repeat(at)}y${"x".repeat(length - at - 1)}`);
      const root = parseXml(
        `<a>${words.map((word) => `<${word} name="${word}">${word}</${word}><${word}>${word}</${word}>`).join("")}</a>`,
      );
      expect(root.children.map(({ tag, name, text }) => [tag, name, text])).toEqual(
        words.flatMap((word) => [
          [word, word, word],
          [word, undefined, word],
        ]),
      );
    }
  });

  it("reads indentation of any depth and any white space", () => {
    for (let depth = 0; depth < 20; depth++) {
      for (const more of ["", "\t", "\r\n", "\n\n"]) {
        const margin = `\n${" ".repeat(depth)}${more}`;
        expect(parseXml(`<!---->${margin}<a>${margin}<b>x</b>${margin}</a>${margin}`).children.map(plain)).toEqual([leaf("b", "x")]);
        expect(parseXml(`<a><b>${margin}</b></a>`).children.map(plain)).toEqual([leaf("b", margin.replace(/\r\n/g, "\n"))]);
      }
    }
  });

  it("does not mix up a text with a later one in the same slot", () => {
    const texts = Array.from({ length: 20_000 }, (_, index) => `v${index % 7000}`);
    const root = parseXml(`<a>${texts.map((text) => `<m>${text}</m>`).join("")}</a>`);
    expect(root.children.map((child) => child.text)).toEqual(texts);
  });
});

describe("parseXml refuses", () => {
  it.each<[string, string]>([
    ["nothing", ""],
    ["white space alone", " \n"],
    ["text alone", "hello"],
    ["cut in text", "<a><b>tex"],
    ["cut in a start tag", "<a><b na"],
    ["cut in a value", '<a><b name="x'],
    ["cut in an end tag", "<a><b></b"],
    ["cut in an end tag's name", "<abc></ab"],
    ["cut before the last end tag", "<a><b></b>"],
    ["cut in a comment", "<a><!-- x"],
    ["cut in CDATA", "<a><![CDATA[x"],
    ["cut in a reference", "<a>&am"],
    ["mismatched tags", "<a><b></a></b>"],
    ["an end tag that only begins alike", "<ab></abc>"],
    ["two roots", "<a/><b/>"],
    ["text after the root", "<a/>x"],
    ["CDATA after the root", "<a/><![CDATA[x]]>"],
    ["an undefined entity", "<a>&nbsp;</a>"],
    ["an ampersand alone", "<a>a & b</a>"],
    ["a reference to no character", "<a>&#0;</a>"],
    ["a reference to a surrogate", "<a>&#xD800;</a>"],
    ["a reference beyond Unicode", "<a>&#x110000;</a>"],
    ["an attribute twice", '<a b="1" b="2"/>'],
    ["a name twice", '<a name="1" name="2"/>'],
    ["attributes without space between", '<a b="1"c="2"/>'],
    ["an attribute without quotes", "<a b=1/>"],
    ["an attribute without value", "<a b/>"],
    ["a bare < in text", "<a>1 < 2</a>"],
    ["a < in a value", '<a b="<"/>'],
    ["]]> in text", "<a>]]></a>"],
    ["a control character", "<a>\u0001</a>"],
    ["a control character in a value", '<a b="\u0002"/>'],
    ["a control character in a comment", "<a><!--\u0002--></a>"],
    ["a control character in CDATA", "<a><![CDATA[\u0002]]></a>"],
    ["a NUL", "<a>\u0000</a>"],
    ["U+FFFF", "<a>\uffff</a>"],
    ["a bad name", "<1a/>"],
    ["a bad character in a name", "<a×b/>"],
    ["a bad attribute name", '<a -b="1"/>'],
    ["a space before a name", "< a/>"],
    ["-- in a comment", "<a><!-- a -- b --></a>"],
    ["a comment that ends with --->", "<a><!-- a ---></a>"],
    ["an instruction without a name", "<a><? x?></a>"],
    ["a declaration that is not first", ' <?xml version="1.0"?><a/>'],
    ["a declaration inside", '<a><?xml version="1.0"?></a>'],
    ["a declaration without version", '<?xml encoding="utf-8"?><a/>'],
    ["a declaration in the wrong order", '<?xml encoding="utf-8" version="1.0"?><a/>'],
    ["another version", '<?xml version="1.1"?><a/>'],
    ["a slash inside a tag", "<a / >"],
    ["an unknown declaration", "<a><!ELEMENT b></a>"],
  ])("%s", (_, xml) => {
    expect(refusal(xml).code).toBe("xml-malformed");
    expect(refusal(Buffer.from(xml)).code).toBe("xml-malformed");
  });

  it.each(["<!DOCTYPE html><html></html>", "<!doctype html>\n<p>", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'])(
    "a document type: %s",
    (xml) => {
      expect(refusal(xml).code).toBe("xml-doctype");
    },
  );

  it.each(["a", "ab", "abc", "abcd", "abcde", "abcdefgh", "abcdefghi", "é", "schlüssel"])(
    "an end tag of <%s> that differs or is truncated",
    (tag) => {
      for (const content of ["", "x", "<x/>"]) {
        const proper = `<r><${tag}>${content}</${tag}></r>`;
        expect(parseXml(proper).children[0]?.tag).toBe(tag);
        const begin = proper.lastIndexOf(tag);
        for (let at = begin; at < begin + tag.length; at++) {
          expect(refusal(`${proper.slice(0, at)}z${proper.slice(at + 1)}`).code).toBe("xml-malformed");
        }
        expect(refusal(`${proper.slice(0, begin)}${tag}z></r>`).message).toContain("the end tag does not match the open element");
        for (let length = 0; length < proper.length; length++) expect(refusal(proper.slice(0, length)).code).toBe("xml-malformed");
      }
    },
  );

  it("with line and column", () => {
    const error = refusal("<a>\r\n  <b>\n\r <c></b></a>");
    expect(error.where).toMatchObject({ line: 4, column: 5 });
    expect(error.message).toContain("line 4, column 5");
    expect(error.message).toContain("the end tag does not match the open element");
    expect(error.next).toBeDefined();
  });

  it("other encodings, declared or detected", () => {
    expect(refusal('<?xml version="1.0" encoding="ISO-8859-1"?><a/>').code).toBe("xml-encoding");
    expect(refusal(Buffer.from([0x3c, 0x61, 0x3e, 0xe9, 0x3c, 0x2f, 0x61, 0x3e])).code).toBe("xml-encoding");
    expect(refusal(Buffer.from("<a>e</a>", "utf16le")).code).toBe("xml-malformed");
    expect(refusal(Buffer.from("\ufeff<a/>", "utf16le")).code).toBe("xml-encoding");
    expect(refusal("<a>\ud800</a>").code).toBe("xml-encoding");
    expect(parseXml('<?xml version="1.0" encoding="US-ASCII" standalone="yes" ?><a/>').tag).toBe("a");
  });

  it("documents that are too deep or too large", () => {
    const deep = (levels: number) => "<a>".repeat(levels) + "</a>".repeat(levels);
    expect(parseXml(deep(256)).tag).toBe("a");
    expect(refusal(deep(257)).code).toBe("xml-too-deep");
    expect(refusal("<a>".repeat(100_000)).code).toBe("xml-too-deep");
    expect(refusal("<a><b/></a>", { maxDepth: 1 }).code).toBe("xml-too-deep");
    expect(parseXml("<a><b/><c>x</c></a>", { maxElements: 3 }).children).toHaveLength(2);
    for (const xml of ["<a><b/><c>x</c><d/></a>", "<a><b/><c>x</c><d>y</d></a>"])
      expect(refusal(xml, { maxElements: 3 })).toMatchObject({ code: "xml-too-large", where: { line: 1, column: 16 } });
    expect(refusal("<a>xxxx</a>", { maxBytes: 10 }).code).toBe("xml-too-large");
    expect(refusal(Buffer.from("<a>xxxx</a>"), { maxBytes: 10 }).code).toBe("xml-too-large");
  });

  it("every proper prefix of a document", () => {
    const xml = `<?xml version="1.0"?><!-- c --><a b="1"><entry name='x'>t &amp; <![CDATA[u]]></entry><?p q?><c/></a>`;
    for (let length = 0; length < xml.length; length++) expect(refusal(xml.slice(0, length)).code).toBe("xml-malformed");
    expect(parseXml(xml).children).toHaveLength(2);
  });
});
