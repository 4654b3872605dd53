import type { KindRegistry } from "../kind.js";
import type { TargetConfiguration } from "./configuration.js";
import type { KindSettings, TargetText } from "./kind-settings.js";
import type { TargetContext } from "./target-context.js";

/** The targets of `plumbline.yaml` by name, each with a registered kind. */
export type TargetTexts = Readonly<Record<string, TargetText>>;

/** Reads the targets in `names`. Referenced targets are read first. */
export async function readTargets(
  names: readonly string[],
  texts: TargetTexts,
  kinds: KindRegistry,
  contextOf: (name: string) => Omit<TargetContext, "others">,
): Promise<ReadonlyMap<string, TargetConfiguration>> {
  const others = new Map<string, TargetConfiguration>();
  const ranks = new Map(names.map((name) => [name, rankOf(name, texts, kinds, [])]));
  for (const name of [...names].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))) {
    const text = texts[name];
    const settings = settingsOf(text, kinds);
    if (text === undefined || settings === undefined) continue;
    const configuration = await settings.read(text, { ...contextOf(name), others });
    others.set(name, { ...configuration, refersTo: settings.refersTo?.(text) });
  }
  return others;
}

/** Returns the chosen targets and the targets that their settings refer to. Empty for all. */
export function withReferred(chosen: readonly string[], texts: TargetTexts, kinds: KindRegistry): ReadonlySet<string> {
  const all = new Set(chosen);
  for (const name of all) for (const other of referredBy(name, texts, kinds)) all.add(other);
  return all;
}

/** Returns one more than the highest rank of the referenced targets. A cycle ends at the first repeated name. */
function rankOf(name: string, texts: TargetTexts, kinds: KindRegistry, above: readonly string[]): number {
  if (above.includes(name)) return 0;
  return Math.max(0, ...referredBy(name, texts, kinds).map((other) => 1 + rankOf(other, texts, kinds, [...above, name])));
}

function referredBy(name: string, texts: TargetTexts, kinds: KindRegistry): readonly string[] {
  const text = texts[name];
  return text === undefined ? [] : (settingsOf(text, kinds)?.refersTo?.(text) ?? []);
}

function settingsOf(text: TargetText | undefined, kinds: KindRegistry): KindSettings | undefined {
  return text === undefined ? undefined : kinds.get(text.kind)?.settings;
}
