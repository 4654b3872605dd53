import { dirname, join, resolve } from "node:path";
import { defineConfig } from "vitest/config";
const root = "/work/wt/house";
const native = process.env.NATIVE === "1";
export default defineConfig({
  root,
  plugins: native ? [{ name: "dist", enforce: "pre", resolveId(source: string, importer: string | undefined) {
    if (importer === undefined || !source.startsWith(".")) return;
    const path = resolve(dirname(importer), source);
    if (!path.startsWith(root + "/src/")) return;
    return { id: root + "/dist/" + path.slice(root.length + 5).replace(/\.ts$/, ".js"), external: true };
  } }] : [],
  test: {
    maxWorkers: Number(process.env.W ?? 1),
    isolate: false,
    pool: process.env.POOL ?? "forks",
    testTimeout: 60000, hookTimeout: 60000,
    setupFiles: ["test/setup.ts", "/tmp/house/cpu.ts"],
    include: ["test/**/*.test.ts"],
    exclude: ["test/openstack/**", "test/scale/**", "test/web/browser/**", "test/soak/**", "test/**/*.{faults,long}.test.ts"],
    server: { deps: { external: [/\/dist\//] } },
    experimental: process.env.FSC ? { fsModuleCache: true, fsModuleCachePath: "/tmp/house/fscache" } : {},
  },
});
