import { setV8Flag } from "../core/v8-flags.js";

/**
 * The parser of HTTP is WebAssembly, which undici has compiled when the first socket is handed to it. V8 compiles it a second time, for speed,
 * after a few kilobytes of replies: 70 ms of a processor and 30 MB, of which a plan gets nothing back
 * (bench/RESULTS.md#a-small-change). What is compiled in the tick of this call waits for a thousand requests instead.
 */
export function compileParserForFew(): void {
  setImmediate(setV8Flag("wasm-tiering-budget", 2_000_000_000));
}
