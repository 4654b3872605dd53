import type { Reply } from "./tape.js";

/** 0 inclusive to 1 exclusive, the same for the same seed. */
export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Mutation {
  readonly what: string;
  readonly reply: Reply;
  /** Bytes of the end are missing, and the rest is as it was. */
  readonly isCut: boolean;
}

const LONGEST = 1_000_000;
/** Characters: time that grows as the reply does is no fault, and twenty times the usual reply of the verdict service is little. */
const LONGEST_REPEATED = 50_000;

/** Puts one thing wrong in a reply, now and then two. `others` are replies to other questions. */
export function mutate(reply: Reply, others: readonly Reply[], random: Random): Mutation {
  const first = once(reply, others, random);
  if (first.isCut || random() < 0.8) return first;
  const second = once(first.reply, others, random);
  return { ...second, what: `${first.what}, ${second.what}`, isCut: false };
}

type Change = (text: string, random: Random) => string;

function once(reply: Reply, others: readonly Reply[], random: Random): Mutation {
  const { body } = reply;
  const draw = random();
  if (draw < 0.12 && body.length > 1) {
    const cut = body.subarray(0, below(random, body.length));
    return { what: `cut to ${cut.length} of ${body.length} bytes`, reply: { ...reply, body: cut }, isCut: true };
  }
  if (draw < 0.2) return { what: "another status", reply: { ...reply, status: pick(STATUSES, random) }, isCut: false };
  if (draw < 0.26)
    return { what: "other headers", reply: { ...reply, headers: { ...reply.headers, ...pick(HEADERS, random) } }, isCut: false };
  if (draw < 0.32) return { what: "the reply to another question", reply: pick(others, random), isCut: false };
  if (draw < 0.38) return { what: "other bytes", reply: { ...reply, body: otherBytes(body, random) }, isCut: false };
  if (draw < 0.44) return { what: "something else", reply: { ...reply, body: Buffer.from(pick(FOREIGN, random)) }, isCut: false };
  const text = body.toString("utf8");
  const [name, change] = pick(text.trimStart().startsWith("<") ? XML : JSON_CHANGES, random);
  return { what: name, reply: { ...reply, body: Buffer.from(change(text, random).slice(0, LONGEST)) }, isCut: false };
}

const STATUSES = [200, 201, 202, 204, 206, 207, 300, 301, 302, 400, 401, 403, 404, 405, 409, 413, 429, 500, 502, 503, 504, 599];
const HEADERS = [
  { "content-type": "text/html" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": undefined },
  { "content-length": "1" },
  { "content-length": "999999999999" },
  { "content-length": "-1" },
  { "content-encoding": "gzip" },
  { "retry-after": "99999999999999999999" },
  { "retry-after": "0" },
  { location: "http://192.0.2.66/" },
  { "x-subject-token": "" },
  { "x-subject-token": ["a", "b"] },
  { "openstack-api-version": "compute 99999.1" },
  { etag: '"x"' },
];
const FOREIGN = [
  "",
  " ",
  "null",
  "[]",
  "{}",
  '""',
  "0",
  "true",
  "<html><body>Log in first</body></html>",
  "<response/>",
  '<response status="success"/>',
  '<response status="success"><result/></response>',
  '<response status="error" code="99999999999999999999"/>',
  '{"error": null}',
  '{"error": {"code": "x", "message": ["y"]}}',
  "\u0000\u0000\u0000",
  `${"[".repeat(20_000)}`,
  `${"<a>".repeat(20_000)}`,
  `[${"9".repeat(50_000)}]`,
];
/** Values that can replace a value of JSON. */
const VALUES = [
  "null",
  "true",
  "0",
  "-1",
  "1e400",
  "-0",
  "9".repeat(300),
  "0.1e-400",
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '"../../etc/passwd"',
  '"::error::x"',
  "[]",
  "{}",
  "[[]]",
  '[null,1,"x",{}]',
  '{"__proto__":{"x":1}}',
  '{"constructor":null}',
  `${"[".repeat(600)}${"]".repeat(600)}`,
  `"${"x".repeat(70_000)}"`,
];
const WORDS = [
  "",
  "-1",
  "0",
  "NaN",
  "9".repeat(300),
  "1e400",
  "yes",
  "no",
  "::error::x",
  "\u202e",
  "'\"",
  "]]>",
  "&amp;",
  "x".repeat(70_000),
  "<b/>",
];
const TAGS = ["entry", "member", "result", "response", "msg", "line", "config", "job", "status", "x", "entry name='x'"];
const INSERTS = [
  "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>",
  "<!ENTITY x 'y'>",
  "&e;",
  "&#0;",
  "&#x110000;",
  "<![CDATA[",
  "<!-- ",
  "<?x ?>",
  "<entry/>",
  "<entry name=''/>",
  '<entry name="x"/><entry name="x"/>',
  "text",
  "\u0001",
  "<a b='1' b='2'/>",
];

const JSON_CHANGES: readonly (readonly [string, Change])[] = [
  [
    "another value",
    (text, random) => replaceOne(text, /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null/g, random, () => pick(VALUES, random)),
  ],
  [
    "another key",
    (text, random) =>
      replaceOne(text, /"(?:[^"\\]|\\.)*"(?=\s*:)/g, random, () => pick(['"x"', '""', '"__proto__"', '"id"', '"name"'], random)),
  ],
  [
    "another number",
    (text, random) => replaceOne(text, /\b\d+\b/g, random, () => pick(["-1", "0", "1e400", "9".repeat(300), "1.5"], random)),
  ],
  [
    "a list or a map emptied",
    (text, random) => replaceOne(text, /\[[^[\]]*\]|\{[^{}]*\}/g, random, (found) => (found.startsWith("[") ? "[]" : "{}")),
  ],
  ["a list or a map changed", (text, random) => replaceOne(text, /\[[^[\]]*\]|\{[^{}]*\}/g, random, () => pick(VALUES, random))],
  ["a map many times", (text, random) => replaceOne(text, /\{[^{}]*\}/g, random, (found) => repeated(found, ",", random))],
  ["a pair taken out", (text, random) => replaceOne(text, /"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+),/g, random, () => "")],
  ["another separator", (text, random) => replaceOne(text, /[[\]{},:]/g, random, () => pick(["", ",", ":", "[", "}", "]"], random))],
  ["part of it twice", twice],
];

const XML: readonly (readonly [string, Change])[] = [
  ["another word", (text, random) => replaceOne(text, /(?<=>)[^<>]+(?=<)/g, random, () => pick(WORDS, random))],
  [
    "another attribute",
    (text, random) => replaceOne(text, /(?<==)(?:"[^"]*"|'[^']*')/g, random, () => `"${pick(WORDS, random).replace(/["<&]/g, "")}"`),
  ],
  ["an attribute taken out", (text, random) => replaceOne(text, /\s[\w-]+=(?:"[^"]*"|'[^']*')/g, random, () => "")],
  ["another name", (text, random) => renameOne(text, random)],
  [
    "another tag",
    (text, random) => replaceOne(text, /<\/?[\w-]+/g, random, (found) => `${found.startsWith("</") ? "</" : "<"}${pick(TAGS, random)}`),
  ],
  ["an element taken out", (text, random) => replaceOne(text, /<([\w-]+)[^<>]*>[^<>]*<\/\1>|<[\w-]+[^<>]*\/>/g, random, () => "")],
  [
    "an element many times",
    (text, random) => replaceOne(text, /<([\w-]+)[^<>]*>[^<>]*<\/\1>|<[\w-]+[^<>]*\/>/g, random, (found) => repeated(found, "", random)),
  ],
  ["something between", (text, random) => replaceOne(text, /(?<=>)(?=<)/g, random, () => pick(INSERTS, random))],
  [
    "an element deep within itself",
    (text, random) => replaceOne(text, /<([\w-]+)[^<>]*>[^<>]*<\/\1>/g, random, (found) => nested(found, random)),
  ],
  ["part of it twice", twice],
];

function repeated(text: string, between: string, random: Random): string {
  const times = Math.min(pick([2, 3, 50, 2_000], random), Math.ceil(LONGEST_REPEATED / (text.length + 1)));
  return Array.from({ length: times }, () => text).join(between);
}

function nested(text: string, random: Random): string {
  const depth = pick([2, 50, 2_000], random);
  return `${"<x>".repeat(depth)}${text}${"</x>".repeat(depth)}`;
}

function twice(text: string, random: Random): string {
  const from = below(random, text.length);
  const to = Math.min(text.length, from + below(random, 200));
  return text.slice(0, to) + text.slice(from);
}

/** Both tags of an element, so that it stays well-formed. */
function renameOne(text: string, random: Random): string {
  const name = pick(
    [...text.matchAll(/<([\w-]+)/g)].map(([, found]) => found ?? "x"),
    random,
  );
  return text.replaceAll(new RegExp(`(</?)${name}(?=[\\s/>])`, "g"), `$1${pick(["x", "entry", "member", `${name}s`], random)}`);
}

function replaceOne(text: string, pattern: RegExp, random: Random, instead: (found: string) => string): string {
  const places = [...text.matchAll(pattern)];
  if (places.length === 0) return text;
  const place = pick(places, random);
  return text.slice(0, place.index) + instead(place[0]) + text.slice(place.index + place[0].length);
}

function otherBytes(body: Buffer, random: Random): Buffer {
  const other = Buffer.from(body);
  const changes = 1 + below(random, 4);
  for (let change = 0; change < changes && other.length > 0; change++) other[below(random, other.length)] = below(random, 256);
  return other;
}

function below(random: Random, most: number): number {
  return Math.floor(random() * most);
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[below(random, items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
