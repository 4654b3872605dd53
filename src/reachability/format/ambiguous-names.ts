import type { AddressRange, Match, Named, Rule } from "../flows/policy.js";
import { addressesOf } from "./format-addresses.js";

type Matches = Pick<Rule, "source" | "destination">;

/** Names with different addresses in the compared versions, or in two places of one version. */
export class AmbiguousNames {
  readonly #byName = new Map<string, Named<AddressRange>[]>();
  readonly #known = new Map<string, boolean>();

  /** @param rules Rules of all versions. */
  constructor(rules: readonly Matches[]) {
    const matches: readonly Match<AddressRange>[] = rules.flatMap(({ source, destination }) => [source, destination]);
    const objects = new Set(matches.flatMap((match) => (match === "any" ? [] : match.objects)));
    for (const object of objects) {
      for (const member of object.members) objects.add(member);
      const same = this.#byName.get(object.name);
      if (same === undefined) this.#byName.set(object.name, [object]);
      else same.push(object);
    }
  }

  has(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [first, ...others] = (this.#byName.get(name) ?? []).map(textOf);
    const answer = others.some((other) => other !== first);
    this.#known.set(name, answer);
    return answer;
  }
}

/** Equal for objects that hold the same known addresses. */
function textOf(object: Named<AddressRange>): string {
  return (
    addressesOf(object)
      ?.map(({ first, last }) => `${first}-${last}`)
      .join() ?? "unknown"
  );
}
