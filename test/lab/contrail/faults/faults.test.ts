import { describe, expect, it } from "vitest";
import type { ContrailFaultEffect } from "../../../../src/lab/contrail/faults/fault.js";
import { ManualClock } from "../../../../src/lab/panos/clock.js";
import { call, startLab } from "../support.js";

const PROJECT = { project: { fq_name: ["default-domain", "demo"], parent_type: "domain" } };

async function faultyLab(effect: ContrailFaultEffect) {
  const clock = new ManualClock();
  const lab = await startLab({ clock });
  lab.fault({ match: { method: "POST", path: "/projects" }, effect });
  return { lab, clock, exists: () => lab.world.store.named("project", PROJECT.project.fq_name) !== undefined };
}

describe("faults", () => {
  it("drop a request before the controller executes it", async () => {
    const { lab, exists } = await faultyLab({ kind: "drop" });
    await expect(call(lab, "POST", "/projects", PROJECT)).rejects.toThrow();
    expect(exists()).toBe(false);
    expect(lab.journal[0]).toMatchObject({ executed: false, reply: "none", faults: ["drop"] });
  });

  it("drop a reply after it", async () => {
    const { lab, exists } = await faultyLab({ kind: "drop-reply" });
    await expect(call(lab, "POST", "/projects", PROJECT)).rejects.toThrow();
    expect(exists()).toBe(true);
    expect(lab.journal[0]).toMatchObject({ executed: true, status: 200, reply: "none" });
  });

  it("send half a reply, visibly truncated or not", async () => {
    const { lab } = await faultyLab({ kind: "cut" });
    const { status, text } = await call(lab, "POST", "/projects", PROJECT);
    expect([status, text.startsWith('{"project"'), text.endsWith("}")]).toEqual([200, true, false]);
    lab.fault({ match: { path: "/domains" }, effect: { kind: "cut", announced: "whole" } });
    await expect(call(lab, "GET", "/domains")).rejects.toThrow();
  });

  it("answer in place of the controller", async () => {
    const { lab, exists } = await faultyLab({ kind: "html", status: 502 });
    const page = await call(lab, "POST", "/projects", PROJECT);
    expect([page.status, page.text.startsWith("<html>"), exists()]).toEqual([502, true, false]);
    lab.fault({ effect: { kind: "status", status: 503, text: "No connection to zookeeper." } });
    const busy = await call(lab, "GET", "/domains");
    expect([busy.status, busy.text]).toEqual([503, "No connection to zookeeper."]);
    lab.fault({ effect: { kind: "content-type", value: "text/plain" } });
    expect((await call(lab, "GET", "/domains")).headers.get("content-type")).toBe("text/plain");
  });

  it("take time by the lab's clock", async () => {
    const { lab, clock } = await faultyLab({ kind: "delay", milliseconds: 30_000 });
    const start = clock.now();
    expect((await call(lab, "POST", "/projects", PROJECT)).status).toBe(200);
    expect(clock.now() - start).toBe(30_000);
  });

  it("hold a request until it is released, and change objects in the meantime", async () => {
    const { lab, exists } = await faultyLab({ kind: "call", run: () => void lab.world.create("project", PROJECT.project) });
    expect((await call(lab, "POST", "/projects", PROJECT)).status).toBe(409);
    const arrived = new Promise<void>((resolve) => {
      lab.fault({ match: { path: "/domains" }, effect: { kind: "call", run: () => resolve() } });
    });
    lab.fault({ match: { path: "/domains" }, effect: { kind: "hold" } });
    const held = call(lab, "GET", "/domains");
    await arrived;
    await call(lab, "GET", "/projects");
    expect(lab.journal.find(({ url }) => url === "/domains")?.executed).toBe(false);
    lab.release();
    expect((await held).status).toBe(200);
    expect(exists()).toBe(true);
  });

  it("affect the nth request, as often as configured, and end when they are cleared", async () => {
    const lab = await startLab();
    lab.fault({ match: { body: "x", nth: 2 }, effect: { kind: "status", status: 500 } });
    lab.fault({ match: { path: "/domains" }, effect: { kind: "status", status: 503 }, count: 3 });
    const statuses: number[] = [];
    for (const key of ["x", "y", "x", "x"])
      statuses.push((await call(lab, "POST", "/useragent-kv", { operation: "STORE", key, value: "" })).status);
    for (let index = 0; index < 2; index++) statuses.push((await call(lab, "GET", "/domains")).status);
    lab.clearFaults();
    statuses.push((await call(lab, "GET", "/domains")).status);
    expect(statuses).toEqual([200, 200, 500, 200, 503, 503, 200]);
  });
});
