import fc from "fast-check";
import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { duplicateKeys } from "../../../src/desired/configuration/configuration-text.js";

const OPTIONS = { version: "1.2", schema: "core", merge: false, prettyErrors: false, logLevel: "silent" } as const;

/** Messages of `yaml` itself, in the order of the text. For an empty value it reports the space before the key. */
function expected(text: string): readonly number[] {
  const found = parseDocument(text, OPTIONS).errors.filter(({ code }) => code === "DUPLICATE_KEY");
  return found.map(({ pos }) => pos[0] + (/^\s*/.exec(text.slice(pos[0]))?.[0].length ?? 0)).sort((a, b) => a - b);
}

function found(text: string): readonly number[] {
  return [...duplicateKeys(parseDocument(text, { ...OPTIONS, uniqueKeys: false }), text)].sort((a, b) => a - b);
}

const CASES = [
  "a: 1\nb: 2\na: 3\na: 4\n",
  "{ a: 1, 'a': 2, b: { c: 1, c: 2 } }",
  "1: a\n0x1: b\n1.0: c\n'1': d\n",
  "~: a\nnull: b\n? \n: c\n",
  ".nan: a\n.nan: b\n-0: c\n0: d\n",
  "&x a: 1\n*x : 2\n*x : 3\n!!str a: 4\n",
  "? { a: 1, a: 2 }\n: 1\n? { a: 1, a: 2 }\n: [ { b: 1, b: 2 }, c: 1 ]\n",
  "? a\n? b\n?   a\n",
  "targets:\n  edge: {}\n  # again\n  edge: {}\n",
];

it.each(CASES)("finds the same as the parser at the same place: %j", (text) => {
  expect(found(text)).toEqual(expected(text));
});

it("finds it in any document", () => {
  const key = fc.constantFrom("a", "b", "'a'", '"b"', "1", "0x1", "1.0", "~", "", ".nan", "&n a", "!!str 1", "!own a", "<<");
  const node = fc.letrec<{ flow: string; pair: string }>((tie) => ({
    flow: fc.oneof(
      { maxDepth: 3 },
      key.map((text) => (text.startsWith("&") ? "a" : text)),
      fc.array(tie("pair"), { maxLength: 4 }).map((pairs) => `{ ${pairs.join(", ")} }`),
      fc.array(fc.oneof(tie("flow"), tie("pair")), { maxLength: 3 }).map((items) => `[ ${items.join(", ")} ]`),
    ),
    pair: fc.oneof(
      fc.tuple(key, tie("flow")).map(([name, value]) => `${name} : ${value}`),
      fc.tuple(tie("flow"), tie("flow")).map(([name, value]) => `? ${name} : ${value}`),
    ),
  }));
  let several = 0;
  const block = fc.array(
    fc.oneof(
      node.pair,
      fc.tuple(key, node.pair).map(([outer, inner]) => `${outer} :\n  ${inner}\n  a: x`),
    ),
  );
  fc.assert(
    fc.property(block, (lines) => {
      const text = lines.join("\n");
      const wanted = expected(text);
      several += wanted.length > 1 ? 1 : 0;
      if (parseDocument(text, OPTIONS).errors.every(({ code }) => code === "DUPLICATE_KEY")) expect(found(text)).toEqual(wanted);
    }),
    { numRuns: 1_000 },
  );
  expect(several).toBeGreaterThan(20);
});
