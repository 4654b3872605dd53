import type { Path } from "../core/tree/path.js";
import type { DesiredKind } from "../desired/kind.js";
import { type Mapping, mapping, type Pair, text, type Value } from "./value.js";
import { newDocument, writeYaml } from "./yaml.js";

/** Values of `owns:` by list. */
export type Owns = ReadonlyMap<string, Value>;

/** Returns the text of a new document. `comment` is its first line; `owns` are its exclusive lists, relative to `place`. */
export function documentText(
  target: string,
  place: Path,
  config: Mapping,
  kind: DesiredKind,
  comment: string,
  owns: Owns = new Map(),
): string {
  const lists: Pair[] = [...owns];
  const owned: Pair[] = lists.length === 0 ? [] : [["owns", mapping(lists, false)]];
  const header: Pair[] = [["target", text(target)], placePair(place, kind), ...owned, ["config", config]];
  return writeYaml(newDocument(mapping(header, false), ` ${comment}`));
}

/** Returns the `scope:` value of a place. Undefined if only `at:` with its XPath can express it. */
export function scopeWord(place: Path, kind: DesiredKind): string | undefined {
  const words = [...kind.scopeWords, place.name ?? "", `${place.parent?.tag}/${place.name}`];
  return words.find((candidate) => kind.place(candidate)?.equals(place) === true);
}

function placePair(place: Path, kind: DesiredKind): Pair {
  const word = scopeWord(place, kind);
  return word === undefined ? ["at", text(place.toString())] : ["scope", text(word)];
}
