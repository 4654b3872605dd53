import { describe, expect, it } from "vitest";
import { PanosClient } from "../../../../src/targets/panos/client/client.js";
import * as commands from "../../../../src/targets/panos/client/commands.js";
import type { PanosRequest } from "../../../../src/targets/panos/client/request.js";
import { configuration, dependencies, done, failure, found, keyReply, noSuchNode, result, unknownCommand } from "../fixtures.js";
import { type Answer, scriptedDevice } from "../scripted-device.js";

const LOCKED = `<response status="error" code="12"><msg><line>the configuration is currently locked by alice</line></msg></response>`;
const ADDRESSES = commands.getConfiguration("running", "/config/shared/address");

async function client(answer: Answer) {
  const device = await scriptedDevice(({ call }) => (call === "keygen" ? keyReply : answer));
  return { device, panos: PanosClient.at(device.url, configuration(device.url), dependencies(), {}) };
}

describe("a command", () => {
  it.each([
    [done, "done"],
    [`<response status="success" code="7"><result/></response>`, "absent"],
    [noSuchNode, "absent"],
    [unknownCommand, "unsupported"],
    [LOCKED, "refused"],
  ])("has one of four outcomes: %s is %s", async (answer, outcome) => {
    const { panos } = await client(answer);
    expect((await panos.attempt(ADDRESSES)).outcome).toBe(outcome);
    await panos.close();
  });

  it("returns the reply if the device accepts it", async () => {
    const { panos } = await client(found("<address/>"));
    for (const reply of [await panos.run(ADDRESSES), await panos.runIfSupported(ADDRESSES), await panos.runIfPresent(ADDRESSES)])
      expect(reply?.result?.children.map(({ tag }) => tag)).toEqual(["address"]);
    await panos.close();
  });

  it("throws the refusal with the XPath, whichever outcome the caller expects", async () => {
    const { panos } = await client(LOCKED);
    for (const refused of [panos.run(ADDRESSES), panos.runIfSupported(ADDRESSES), panos.runIfPresent(ADDRESSES)])
      expect(await failure(refused)).toMatchObject({ code: "device-locked", where: { xpath: "/config/shared/address" } });
    await panos.close();
  });

  it("that the device does not support is no error only for a caller that expects it", async () => {
    const { panos } = await client(unknownCommand);
    expect(await panos.runIfSupported(commands.showAllJobs)).toBeUndefined();
    expect((await failure(panos.run(commands.showAllJobs))).code).toBe("command-refused");
    expect((await failure(panos.runIfPresent(commands.showAllJobs))).code).toBe("command-refused");
    expect(panos.unknownCommands).toBe(3);
    await panos.close();
  });

  it("that reads an absent node is no error only for a caller that expects it", async () => {
    const { panos } = await client(noSuchNode);
    expect(await panos.runIfPresent(ADDRESSES)).toBeUndefined();
    expect((await failure(panos.run(ADDRESSES))).code).toBe("object-not-present");
    expect((await failure(panos.runIfSupported(ADDRESSES))).code).toBe("object-not-present");
    await panos.close();
  });

  it("for a firewall is relayed by its manager, also if only the bytes are read", async () => {
    const { device, panos } = await client(result("<x/>"));
    const firewall = panos.firewall("0071");
    await firewall.run(commands.showChanges);
    await firewall.runIfPresent(ADDRESSES);
    expect((await firewall.readBytes(commands.showChanges))?.toString()).toContain("<x/>");
    await panos.run(commands.showChanges);
    expect(device.asked.slice(1).map(({ params }) => params.get("target"))).toEqual(["0071", "0071", "0071", null]);
    await panos.close();
  });
});

describe("the commands", () => {
  const all: readonly (readonly [name: string, command: PanosRequest])[] = [
    ...Object.entries(commands).flatMap(([name, each]) => ("parameters" in each ? [[name, each] as const] : [])),
    ["showVersion", commands.showVersion(1)],
    ["validateOwn", commands.validateOwn("netops")],
    ["showRuleHits", commands.showRuleHits("vsys1")],
    ["showManagedRuleHits", commands.showManagedRuleHits("branch", "pre", ["web", "a & b"])],
    ["showExternalList", commands.showExternalList("bad", 10)],
    ["showPushedPolicy", commands.showPushedPolicy("vsys1")],
    ["showJob", commands.showJob("7")],
    ["showLocks", commands.showLocks("config")],
    ["addConfigLock", commands.addConfigLock("vsys1", "plumbline")],
    ["removeLock", commands.removeLock("config", "vsys1")],
    ["saveConfiguration", commands.saveConfiguration("before")],
    ["showSaved", commands.showSaved("before")],
    ["deleteSaved", commands.deleteSaved("before")],
    ["revertOwnChanges", commands.revertOwnChanges("netops")],
    ["commitCommand", commands.commitCommand("change", undefined)],
    ["getConfiguration", ADDRESSES],
    ["startLogQuery", commands.startLogQuery({ type: "traffic" })],
    ["logJob", commands.logJob("get", "7", "jobid")],
  ];

  it("are all listed here, except a push", () => {
    const names = Object.entries(commands).flatMap(([name, each]) => (Array.isArray(each) ? [] : [name]));
    expect(all.map(([name]) => name).toSorted()).toEqual(names.filter((name) => !["escapeXml", "pushCommand"].includes(name)).toSorted());
  });

  it("that change the device are never repeated after a lost reply, and the others are", async () => {
    const changes = all.filter(([, { repeatable }]) => !repeatable).map(([name]) => name);
    expect(changes.toSorted()).toEqual(
      [
        ...["addConfigLock", "commitCommand", "deleteSaved", "removeLock", "revertOwnChanges"],
        ...["saveConfiguration", "validateFull", "validateOwn"],
      ].toSorted(),
    );
    const { device, panos } = await client("drop");
    for (const [name, command] of all) {
      const before = device.asked.length;
      const error = await failure(panos.run(command));
      const sent = device.asked.slice(before).filter(({ call }) => call !== "keygen").length;
      expect([name, sent, error.code]).toEqual([name, ...(changes.includes(name) ? [1, "reply-lost"] : [4, "connection-lost"])]);
    }
    await panos.close();
  });

  it("push firewalls once, and may repeat a validation", () => {
    const push = (validateOnly: boolean) =>
      commands.pushCommand({ groups: new Map(), stack: undefined, description: "", includeTemplate: false, validateOnly });
    expect([push(false).repeatable, push(true).repeatable]).toEqual([false, true]);
  });
});
