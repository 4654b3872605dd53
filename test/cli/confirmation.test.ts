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

it("at a terminal the plan is shown and asked about, and no is no", async () => {
  for (const typed of ["n\n", "\n", "", "yep\n", "no, y\n"]) {
    const { code, out, err } = await world.runAtTerminal("reconcile", typed);
    expect(err).toContain("Apply this? [y/N] ");
    expect(err).toContain("Nothing was written.");
    expect(out).toContain("7 operations in 1 request");
    expect(code).toBe(2);
  }
  expect(writes()).toEqual([]);
});

it("yes writes what was shown, and then nothing is asked any more", async () => {
  expect(await world.runAtTerminal("reconcile", "y\n")).toMatchObject({ code: 0 });
  expect(writes()).toContain("commit");
  const again = await world.runAtTerminal("reconcile", "n\n");
  expect(again.code).toBe(0);
  expect(again.err).not.toContain("[y/N]");
});

it("what a colleague changed between the question and the answer is not written over unseen", async () => {
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

it("--yes, another format and no terminal ask nothing", async () => {
  const { err } = await world.runAtTerminal("reconcile --yes", "n\n");
  expect(err).not.toContain("[y/N]");
  expect(writes()).toContain("commit");
  expect((await world.runAtTerminal("reconcile --format json", "n\n")).err).not.toContain("[y/N]");
  expect((await world.run("reconcile")).err).not.toContain("[y/N]");
});
