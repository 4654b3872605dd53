import { Document, type DocumentOptions, isMap, isScalar, isSeq, Pair, parseDocument, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { mapTag, type StringifyContext, seqTag, stringTag } from "yaml/util";
import { type ScalarPlace, scalar } from "./scalar.js";
import { isEmptyMapping, type Mapping, type Sequence, type Value } from "./value.js";

/** Maximum width of a line with an object on one line. */
const WIDTH = 100;
const STEP = 2;

/** Scalar that import has written. Import chooses its style, and keeps the style of all other scalars. */
class OwnScalar extends Scalar<string> {}

type OnComment = (() => void) | undefined;

const OPTIONS = {
  schema: "failsafe",
  uniqueKeys: false,
  customTags: () => [
    {
      ...mapTag,
      stringify: (item: unknown, context: StringifyContext, onComment: OnComment, onChompKeep: OnComment) =>
        (item as YAMLMap).toString({ ...context, flowCollectionPadding: " " }, onComment, onChompKeep),
    },
    {
      ...seqTag,
      stringify: (item: unknown, context: StringifyContext, onComment: OnComment, onChompKeep: OnComment) =>
        (item as YAMLSeq).toString({ ...context, flowCollectionPadding: "" }, onComment, onChompKeep),
    },
    {
      ...stringTag,
      stringify: (item: Scalar, context: StringifyContext, onComment: OnComment, onChompKeep: OnComment) =>
        item instanceof OwnScalar
          ? ownScalar(item.value, context)
          : (quotedSource(item) ?? stringTag.stringify?.(item, context, onComment, onChompKeep) ?? ""),
    },
  ],
} as const;

function ownScalar(text: string, context: StringifyContext): string {
  const flow = context.inFlow === true;
  return scalar(text, { flow, key: context.implicitKey === true, indent: flow ? undefined : context.indent });
}

/** Parses a document so that it can be changed and written with its comments and style. */
export function parseYaml(source: string): Document.Parsed {
  return parseDocument(source, OPTIONS as unknown as DocumentOptions);
}

/** Parses a document for formatting. Quoted texts on one line keep their source. */
export function parseToFormat(source: string): Document.Parsed {
  return parseDocument(source, { ...(OPTIONS as unknown as DocumentOptions), keepSourceTokens: true });
}

/** Returns the source of a quoted text, if it was kept and has no line break. */
function quotedSource({ srcToken }: Scalar): string | undefined {
  const isQuoted = srcToken?.type === "double-quoted-scalar" || srcToken?.type === "single-quoted-scalar";
  return isQuoted && !srcToken.source.includes("\n") ? srcToken.source : undefined;
}

/** Returns the text of a document. Existing texts are not folded or quoted again. */
export function writeYaml(document: Document): string {
  return document.toString({ lineWidth: 0 });
}

/** Returns a new document with one value. */
export function newDocument(value: Mapping, header: string): Document {
  const document = new Document(null, OPTIONS as unknown as DocumentOptions);
  const contents = toNode(value, 0);
  contents.commentBefore = header;
  document.contents = contents as unknown as typeof document.contents;
  return document;
}

/** Returns the YAML node of a value whose lines begin at column `indent`. It is on one line if that is permitted and fits. */
export function toNode(value: Value, indent: number, column = indent): Scalar | YAMLMap | YAMLSeq {
  if (value.kind === "text") return new OwnScalar(value.text);
  const oneLine = isEmpty(value) || (mayInline(value) && column + widthOf(value, WIDTH) <= WIDTH);
  const node = value.kind === "mapping" ? mapNode(value, indent, oneLine) : sequenceNode(value, indent, oneLine);
  node.flow = oneLine;
  return node;
}

/** Returns the node with another text and a new style. Comments are kept. */
export function setText(node: Scalar, text: string): Scalar {
  const own = new OwnScalar(text);
  own.comment = node.comment ?? null;
  own.commentBefore = node.commentBefore ?? null;
  if (node.spaceBefore !== undefined) own.spaceBefore = node.spaceBefore;
  return own;
}

/** Returns a pair with the key at column `indent`. */
export function toPair(key: string, value: Value, indent: number): Pair<Scalar, Scalar | YAMLMap | YAMLSeq> {
  const width = scalar(key, FLOW_KEY).length + 2;
  return new Pair(new OwnScalar(key), toNode(value, indent + STEP, indent + width));
}

/** Returns an item of a sequence whose dash is at column `indent`. */
export function toItem(value: Value, indent: number): Scalar | YAMLMap | YAMLSeq {
  return toNode(value, indent + STEP);
}

function mapNode(value: Mapping, indent: number, oneLine: boolean): YAMLMap {
  const map = new YAMLMap();
  for (const [key, child] of value.pairs) {
    map.items.push(oneLine ? new Pair(new OwnScalar(key), toNode(child, 0, -Infinity)) : toPair(key, child, indent));
  }
  return map;
}

function sequenceNode(value: Sequence, indent: number, oneLine: boolean): YAMLSeq {
  const sequence = new YAMLSeq();
  for (const item of value.items) sequence.items.push(oneLine ? toNode(item, 0, -Infinity) : toItem(item, indent));
  return sequence;
}

function isEmpty(value: Sequence | Mapping): boolean {
  return value.kind === "mapping" ? isEmptyMapping(value) : value.items.length === 0;
}

function mayInline(value: Value): boolean {
  if (value.kind === "text") return !value.text.includes("\n");
  if (value.kind === "sequence") return value.items.every((item) => item.kind === "text" && mayInline(item));
  return value.inline && value.pairs.every(([, child]) => mayInline(child));
}

const FLOW: ScalarPlace = { flow: true, key: false, indent: undefined };
const FLOW_KEY: ScalarPlace = { flow: true, key: true, indent: undefined };

/** Returns the width of a value on one line. Stops soon after `most`. */
function widthOf(value: Value, most: number): number {
  if (value.kind === "text") return scalar(value.text, FLOW).length;
  let width = value.kind === "mapping" ? 4 : 2;
  const parts = value.kind === "mapping" ? value.pairs : value.items;
  for (let index = 0; index < parts.length && width <= most; index++) {
    const part = parts[index] as Value | readonly [string, Value];
    width += "kind" in part ? widthOf(part, most - width) : scalar(part[0], FLOW_KEY).length + 2 + widthOf(part[1], most - width);
    if (index > 0) width += 2;
  }
  return width;
}

export type { Document };
export { isMap, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq };
