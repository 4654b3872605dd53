import { createRequire } from "node:module";

// graphile-worker, when it is loaded, has cosmiconfig look for settings in the working folder and all above it, and run those that
// are programs. That folder is a checkout, which may be a stranger's. So cosmiconfig is taken as loaded, and finds nothing.
// (The bundle has no cosmiconfig at all: `packaging/package.mjs`.)
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
