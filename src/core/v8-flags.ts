import { setFlagsFromString } from "node:v8";

/** Flags that are not as usual for a while. */
export type V8Flag = "wasm-tiering-budget" | "interrupt-budget";

type Values = Readonly<Partial<Record<V8Flag, number>>>;

const SINCE_NODE_22: Values = { "wasm-tiering-budget": 13_000_000 };
/** What V8 takes where nobody says otherwise, by its major version: of Node 20 (11) to 26 (14). */
const USUAL: ReadonlyMap<number, Values> = new Map([
  [11, { "wasm-tiering-budget": 1_800_000, "interrupt-budget": 67_584 }],
  [12, SINCE_NODE_22],
  [13, SINCE_NODE_22],
  [14, SINCE_NODE_22],
]);
const THIS_V8 = Number(process.versions.v8.split(".")[0]);

/**
 * Sets a flag for a while. Until it is put back V8 takes nothing that was compiled before: neither Node's own modules nor what is kept of ours. So it
 * is set only where it is known how to put it back; a version that does not have it is left as it is.
 * @returns puts it back
 */
export function setV8Flag(flag: V8Flag, value: number, majorOfV8 = THIS_V8): () => void {
  const usual = USUAL.get(majorOfV8)?.[flag];
  if (usual === undefined) return () => undefined;
  set(flag, value);
  return () => set(flag, usual);
}

/** Puts back all that this process may have set. */
export function putV8FlagsBack(majorOfV8 = THIS_V8): void {
  for (const [flag, usual] of Object.entries(USUAL.get(majorOfV8) ?? {})) set(flag, usual);
}

function set(flag: string, value: number): void {
  setFlagsFromString(`--${flag}=${value}`);
}
