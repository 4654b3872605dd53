import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** The program on a Node that reports this version. The real error of an older Node depends on the first unsupported feature. */
function runOn(version: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const older = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} });`;
  const words = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, "dist/cli.js", "--help"];
  return spawnSync(process.execPath, words, { encoding: "utf8" });
}

it.each(["18.20.8", "20.0.0", "20.18.3"])("on Node %s it prints its requirement in one sentence", (version) => {
  const { status, stdout, stderr } = runOn(version);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toBe(`Plumbline needs Node.js 20.19 or later. This is Node.js ${version} (${process.execPath}).\n`);
});

it("on the oldest supported version, and on later ones, it runs", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
  const oldest = `${engines.node.replace(">=", "")}.0`;
  for (const version of [oldest, "21.0.0", "24.1.0"]) expect(runOn(version)).toMatchObject({ status: 0, stderr: "" });
});
