import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tellOfManager } from "../../src/cli/quickstart-manager.js";

it("tells of a canary that refuses, and of a firewall that was away, by the real commands", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-story-"));
  let told = "";
  const write = (text: string) => {
    told += text;
    return true;
  };
  try {
    const context = {
      environment: process.env,
      folder,
      stdout: { write },
      stderr: { write: () => true },
      now: () => new Date(),
      stop: new AbortController().signal,
    };
    await tellOfManager({ folder, context, say: write, show: write });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  expect(told).toMatch(/007000000000101 would not take it: rome: .*it has one of its own, as device-group\/branch does/);
  expect(told).toContain("5 of 5 firewalls took it");
  expect(told).toContain("5 of 6 firewalls in sync with what is running on the manager, 1 not connected");
  expect(told).toContain("1 of 1 firewall took it");
  expect(told).toContain("6 of 6 firewalls in sync with what is running on the manager\n");
});
