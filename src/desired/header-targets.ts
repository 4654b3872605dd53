import { PlumblineError } from "../core/errors.js";
import { type Fleet, selectTargets, type TargetSelection, unknownIn } from "./fleet.js";
import { itemsWith } from "./header-items.js";
import type { HeaderReader, Pair } from "./header-reader.js";
import { suggest } from "./suggest.js";

/** How specific a document is for a target. If two documents declare one leaf, the more specific one wins. */
export type Breadth = "all" | "group" | "target";

/** From the widest to the most specific. */
export const BREADTHS: readonly Breadth[] = ["all", "group", "target"];

/** The targets of a document. */
export interface Chosen {
  /** At least one, all of the same kind. */
  readonly targets: readonly string[];
  readonly kind: string;
  readonly breadth: Breadth;
}

/** Reads `target:` or `targets:`. Undefined after an error. */
export function readChosen(reader: HeaderReader, keys: ReadonlyMap<string, Pair>, fleet: Fleet): Chosen | undefined {
  const one = keys.get("target");
  const several = keys.get("targets");
  if (one !== undefined && several !== undefined)
    return refuse(reader, several.key, "target: and targets: exclude each other.", "Keep target: for one, targets: for several.");
  if (several !== undefined) return readSeveral(reader, several, fleet);
  if (one === undefined)
    return refuse(
      reader,
      reader.doc.root,
      "The document does not name its target.",
      `Write target: with one of ${[...fleet.targets.keys()].join(", ")}; or targets: for several.`,
    );
  const name = reader.text(one, "target");
  if (name === undefined) return undefined;
  const kind = fleet.targets.get(name)?.kind;
  if (kind !== undefined) return { targets: [name], kind, breadth: "target" };
  return reader.error(
    new PlumblineError("target-unknown", `There is no target "${name}" in plumbline.yaml.`, {
      where: reader.where(one.value),
      next: suggest(name, [...fleet.targets.keys()]),
    }),
  );
}

const { refuse } = itemsWith("document-key");

const FORMS = "Write targets: all, a list of names, or a map of labels:, groups:, kind:, names: and except:.";

function readSeveral(reader: HeaderReader, pair: Pair, fleet: Fleet): Chosen | undefined {
  const selection = readSelection(reader, pair);
  if (selection === undefined) return undefined;
  const where = reader.where(pair.value);
  const unknown = unknownIn(selection, fleet);
  if (unknown !== undefined)
    return reader.error(new PlumblineError(unknown.code, unknown.message, { where, next: suggest(unknown.name, unknown.known()) }));
  const targets = selectTargets(selection, fleet);
  const kinds = [...new Set(targets.map((name) => fleet.targets.get(name)?.kind ?? ""))];
  const [kind] = kinds;
  if (kind === undefined)
    return reader.error(
      new PlumblineError("targets-none", "targets: selects no target.", {
        where,
        next: "Correct the target selection, or delete the file.",
      }),
    );
  if (kinds.length > 1)
    return reader.error(
      new PlumblineError("targets-kinds", `targets: chooses targets of several kinds: ${kinds.join(", ")}.`, {
        where,
        next: `A document speaks one language: add kind: ${kind}.`,
      }),
    );
  return { targets, kind, breadth: isNarrow(selection) ? "group" : "all" };
}

function isNarrow({ names, groups, labels }: TargetSelection): boolean {
  return names !== undefined || groups !== undefined || labels !== undefined;
}

function readSelection(reader: HeaderReader, { key, value }: Pair): TargetSelection | undefined {
  const { doc } = reader;
  if (doc.kind(value) === "scalar")
    return doc.text(value) === "all"
      ? {}
      : refuse(reader, value, "targets: takes all, a list or a map.", `${FORMS} One target is target:.`);
  if (doc.kind(value) === "sequence") {
    const names = texts(reader, value);
    return names === undefined ? undefined : { names };
  }
  const keys = reader.map(value, ["names", "groups", "kind", "labels", "except"]);
  if (keys.size === 0) return refuse(reader, key, "targets: says nothing.", FORMS);
  const list = (name: string): readonly string[] | undefined => {
    const pair = keys.get(name);
    return pair === undefined ? undefined : texts(reader, pair.value);
  };
  const [names, groups, except, kind] = [list("names"), list("groups"), list("except"), list("kind")];
  const labelPair = keys.get("labels");
  const labels = labelPair === undefined ? undefined : readLabels(reader, labelPair);
  const isComplete = [names, groups, except, kind, labels].filter((part) => part !== undefined).length === keys.size;
  if (!isComplete) return undefined;
  if (kind !== undefined && kind.length > 1) return refuse(reader, key, "kind: takes one kind.", FORMS);
  return { names, groups, except, labels, kind: kind?.[0] };
}

function readLabels(reader: HeaderReader, { key, value }: Pair): ReadonlyMap<string, readonly string[]> | undefined {
  const { doc } = reader;
  if (doc.kind(value) !== "map" || doc.isEmpty(value))
    return refuse(reader, key, "labels: takes a map.", "Write labels: { site: zurich }, or a list of values: { site: [zurich, bern] }.");
  const labels = new Map<string, readonly string[]>();
  for (let at = doc.first(value); !doc.ends(at); ) {
    const of = doc.after(at);
    const values = texts(reader, of);
    if (values === undefined) return undefined;
    labels.set(doc.text(at), values);
    at = doc.after(of);
  }
  return labels;
}

/** Returns a word or a list of words, never empty. */
function texts(reader: HeaderReader, node: number): readonly string[] | undefined {
  const { doc } = reader;
  const items: number[] = [];
  if (doc.kind(node) === "sequence") for (let at = doc.first(node); !doc.ends(at); at = doc.after(at)) items.push(at);
  else items.push(node);
  const targetTexts = items.map((item) => (doc.kind(item) === "scalar" && !doc.isLeftOut(item) ? doc.text(item) : ""));
  if (targetTexts.length > 0 && !targetTexts.includes("")) return targetTexts;
  return refuse(reader, node, "targets: needs words here.", FORMS);
}
