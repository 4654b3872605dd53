import { createRequire } from "node:module";

// graphile-worker loads cosmiconfig, which searches for settings in the working folder and its parents, and runs those that are programs.
// That folder is a checkout with possibly untrusted content. Cosmiconfig is therefore replaced by a module that finds nothing. (The bundle
// does not contain cosmiconfig: `packaging/package.mjs`.)
const require = createRequire(import.meta.url);
const place = ((): string | undefined => {
  try {
    return createRequire(require.resolve("graphile-worker")).resolve("cosmiconfig");
  } catch {
    return undefined;
  }
})();
if (place !== undefined)
  require.cache[place] = Object.assign(Object.create(null), {
    id: place,
    filename: place,
    loaded: true,
    exports: { cosmiconfigSync: () => ({ search: () => null }) },
  });
