import { setFlagsFromString } from "node:v8";

/** Bytes of WebAssembly that run before V8 compiles it a second time, by V8's major version: from Node 20 (11) to 26 (14). */
const USUAL_BUDGET = new Map([
  [11, 1_800_000],
  [12, 13_000_000],
  [13, 13_000_000],
  [14, 13_000_000],
]);
const WITH_V8 = Number(process.versions.v8.split(".")[0]);

/**
 * The parser of HTTP is WebAssembly, which undici has compiled when the first socket is handed to it. V8 compiles it a second time, for speed,
 * after a few kilobytes of replies: 70 ms of a processor and 30 MB, of which a plan gets nothing back
 * (bench/RESULTS.md#a-small-change). What is compiled in the tick of this call waits for a thousand requests instead.
 *
 * The flag does not stay: what was compiled before under others, Node's own modules among it, counts for nothing while it is set. So it is
 * set only where it is known how to take it back.
 */
export function compileParserForFew(majorOfV8 = WITH_V8): void {
  const usual = USUAL_BUDGET.get(majorOfV8);
  if (usual === undefined) return;
  setFlagsFromString("--wasm-tiering-budget=2000000000");
  setImmediate(() => setFlagsFromString(`--wasm-tiering-budget=${usual}`));
}
