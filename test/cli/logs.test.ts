import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";
import { type CliWorld, openWorld } from "./world.js";

const ADDRESS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const add = (name: string): void => {
  const element = `<entry name='${name}'><ip-netmask>192.0.2.1</ip-netmask></entry>`;
  world.lab.device.act("mkovacs", { type: "config", action: "set", xpath: ADDRESS, element });
};

const journal = (): string[] =>
  world.lab.device.state.journal
    .map(({ params }) => params)
    .filter((params) => params.type === "log")
    .map((params) => params.action ?? "create");

describe("plumbline logs", () => {
  it("shows the usual columns of a type, newest first", async () => {
    add("a");
    add("b");
    const { code, out } = await world.runWords(["logs", "edge", "--type", "config", "--query", "( cmd eq set )", "--count", "2"]);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^receive_time +admin +client +cmd +result +full-path +path$/);
    expect(lines.slice(1).map((line) => /entry\[@name='(.)'\]/.exec(line)?.[1])).toEqual(["b", "a"]);
    expect(lines[1]).toContain("mkovacs");
    expect(journal()).toEqual(["create", "get"]);
  });

  it("shows chosen columns as CSV, and all fields as JSON", async () => {
    add("a");
    const words = ["logs", "edge", "--type", "config", "--count", "1"];
    expect((await world.runWords([...words, "--columns", "admin,cmd", "--format", "csv"])).out).toBe("admin,cmd\r\nmkovacs,set\r\n");
    const [record] = JSON.parse((await world.runWords([...words, "--format", "json"])).out);
    expect(record).toMatchObject({ type: "CONFIG", admin: "mkovacs", "after-change-preview": expect.stringContaining("192.0.2.1") });
  });

  it("supports every documented type, and prints nothing for an empty log", async () => {
    for (const type of ["traffic", "threat", "system", "decryption", "corr-categ"]) {
      const { code, out } = await world.runWords(["logs", "edge", "--type", type, "--format", "json"]);
      expect(code).toBe(0);
      expect(JSON.parse(out).length > 0).toBe(["traffic", "threat", "system"].includes(type));
    }
    const empty = await world.runWords(["logs", "edge", "--type", "decryption"]);
    expect(empty).toMatchObject({ code: 0, out: "", err: "no records of the decryption log\n" });
    const { code, err } = await world.runWords(["logs", "edge", "--type", "thread"]);
    expect([code, err]).toEqual([1, expect.stringContaining("hipmatch")]);
  });

  it("starts at a time of the firewall's clock, or a duration before now", async () => {
    add("a");
    const since = async (...words: string[]) =>
      (await world.runWords(["logs", "edge", "--type", "config", "--format", "json", ...words])).out;
    expect(await since("--since", "2099-01-01")).toBe("[]\n");
    expect(JSON.parse(await since("--since", "1h", "--query", "( cmd eq set ) or ( cmd eq edit )"))).toHaveLength(1);
    expect((await world.runWords(["logs", "edge", "--type", "config", "--since", "soon"])).err).toContain("[option-invalid]");
  });

  it("lists the available fields if a chosen one does not exist", async () => {
    add("a");
    const { err } = await world.runWords(["logs", "edge", "--type", "config", "--columns", "admin,colour"]);
    expect(err).toMatch(/no record has colour; there are: .*full-path/);
  });

  it("shows the firewall's refusal without a table, and ends with 1", async () => {
    const { code, out, err } = await world.runWords(["logs", "edge", "--type", "config", "--query", "nonsense", "--format", "json"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("[log-query-refused]");
  });

  it("refuses a target without logs, and an unknown one", async () => {
    const configuration = "format: 1\nowner: o\ndocuments: [.]\ntargets:\n  tree: { kind: memory, file: tree.xml, mode: observe }\n";
    writeFileSync(join(world.folder, "plumbline.yaml"), configuration);
    writeFileSync(join(world.folder, "tree.xml"), "<config/>");
    expect((await world.run("logs tree --type threat --config plumbline.yaml")).err).toContain("[logs-not-offered]");
    expect((await world.run("logs nowhere --type threat")).err).toMatch(/\[target-unknown\]|no target/);
  });

  it("follows: oldest first, then new records, once each, until stopped", async () => {
    for (const name of ["a", "b", "c"]) add(name);
    let out = "";
    let err = "";
    let looks = 0;
    const stop = new AbortController();
    const context: Context = {
      environment: {
        HOME: world.folder,
        PLUMBLINE_TARGET_EDGE_URL: world.lab.device.url,
        PLUMBLINE_TARGET_EDGE_CA: join(world.folder, "ca.pem"),
        PLUMBLINE_USER: "plumbline",
        PLUMBLINE_PASSWORD: "plumbline",
      },
      folder: world.folder,
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (err += text) },
      now: () => new Date(),
      stop: stop.signal,
      sleep: async () => {
        looks++;
        if (looks === 1) add("d");
        if (looks === 3) stop.abort();
      },
    };
    const words = ["logs", "edge", "--type", "config", "--follow", "--count", "2", "--query", "( cmd eq set )", "--format", "json"];
    expect(await runCli(words, context), err).toBe(0);
    const paths = out
      .trimEnd()
      .split("\n")
      .map((line) => /entry\[@name='(.)'\]/.exec(JSON.parse(line)["full-path"])?.[1]);
    expect(paths).toEqual(["b", "c", "d"]);
  });
});
