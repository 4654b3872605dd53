import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliWorld, openWorld } from "./world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
  await world.run("adopt edge");
});
afterEach(() => world.close());

const writes = (): (string | undefined)[] =>
  world.lab.device.state.journal
    .map(({ action, type }) => action ?? type)
    .filter((each) => each !== undefined && ["set", "edit", "delete", "move", "rename", "multi-config", "commit"].includes(each));

it('a terminal shows the plan and asks, and "no" writes nothing', async () => {
  for (const typed of ["n\n", "\n", "", "yep\n", "no, y\n"]) {
    const { code, out, err } = await world.runAtTerminal("reconcile", typed);
    expect(err).toContain("Apply this? [y/N] ");
    expect(err).toContain("Nothing was written.");
    expect(out).toContain("7 operations in 1 request");
    expect(code).toBe(2);
  }
  expect(writes()).toEqual([]);
});

it('"yes" writes the shown plan without further questions', async () => {
  expect(await world.runAtTerminal("reconcile", "y\n")).toMatchObject({ code: 0 });
  expect(writes()).toContain("commit");
  const again = await world.runAtTerminal("reconcile", "n\n");
  expect(again.code).toBe(0);
  expect(again.err).not.toContain("[y/N]");
});

it("an unmanaged rule is reported without a question, because the run would not write", async () => {
  const file = join(world.folder, "desired-state/edge/rules/security.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("owns:\n  rulebase/security/rules: exclusive\n", ""));
  world.commit("the rulebase is not exclusive");
  expect((await world.runAtTerminal("reconcile", "y\n")).err).toContain("[y/N]");
  const rules = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
  const any = ["from", "to", "source", "destination", "application", "service"].map((tag) => `<${tag}><member>any</member></${tag}>`);
  const element = `<entry name="evil">${any.join("")}<action>allow</action></entry>`;
  for (const request of [
    { type: "config", action: "set", xpath: rules, element },
    { type: "commit", cmd: "<commit></commit>" },
  ])
    expect(world.lab.device.act("mkovacs", request).status).toBe("success");
  const commits = writes().filter((each) => each === "commit").length;
  const { code, out, err } = await world.runAtTerminal("reconcile", "y\n");
  expect(err).not.toContain("[y/N]");
  expect(out).toContain("evil");
  expect(code).toBe(2);
  expect(writes().filter((each) => each === "commit")).toHaveLength(commits);
});

it("a change by another administrator between question and answer is not overwritten", async () => {
  const rule =
    "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules/entry[@name='web-to-db']";
  const colleague = async () => {
    const act = (params: Record<string, string>) => expect(world.lab.device.act("mkovacs", params).status).toBe("success");
    act({ type: "config", action: "set", xpath: rule, element: "<disabled>yes</disabled>" });
    act({ type: "commit", cmd: "<commit></commit>" });
  };
  const { code, out } = await world.runAtTerminal("reconcile", "yes\n", colleague);
  expect(code).toBe(3);
  expect(out).toContain("plan-moved");
  expect(writes().filter((each) => each === "commit")).toHaveLength(1);
});

it("--yes writes without a question; without a terminal or in another format it is required", async () => {
  for (const run of [
    await world.runWords(["reconcile"]),
    await world.runWords(["rollback", "HEAD", "--reconcile"]),
    await world.runAtTerminal("reconcile --format json", "y\n"),
  ]) {
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(run.err).toContain("confirmation-missing");
    expect(run.err).toContain("Add --yes.");
  }
  expect(writes()).toEqual([]);
  const { err } = await world.runAtTerminal("reconcile --yes", "n\n");
  expect(err).not.toContain("[y/N]");
  expect(writes()).toContain("commit");
  expect((await world.runWords(["reconcile", "--yes"])).code).toBe(0);
});
