import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { serviceSettings } from "../../src/verdict/settings.js";
import { failure } from "../targets/panos/fixtures.js";
import { temporaryFolder } from "./support.js";

const named = { PLUMBLINE_VERDICT_URL: "https://127.0.0.1:8444", PLUMBLINE_VERDICT_KEY: " s3cret\n" };

describe("the verdict service", () => {
  it("is configured by the environment, and its key is never shown", async () => {
    const service = await serviceSettings({}, { ...named, PLUMBLINE_VERDICT_CA: "ca.pem", PLUMBLINE_VERDICT_ALLOTMENT: "7" }, "/somewhere");
    expect(service).toMatchObject({
      url: named.PLUMBLINE_VERDICT_URL,
      allotment: 7,
      timeout: 30,
      tls: { ca: "/somewhere/ca.pem", insecure: false },
    });
    expect(service.key.reveal()).toBe("s3cret");
    expect(inspect(service) + JSON.stringify(service)).not.toContain("s3cret");
  });

  it("is configured by flags before the environment", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "key"), "other\n");
    const flags = { url: "https://verdict.example", keyFile: "key", ca: "x.pem", pin: "sha256:00", allotment: 3, timeout: 9 };
    const service = await serviceSettings(flags, named, folder);
    expect([service.url, service.key.reveal(), service.allotment, service.timeout, service.tls.pin]).toEqual([
      "https://verdict.example",
      "other",
      3,
      9,
      "sha256:00",
    ]);
  });

  it.each([
    ["verdict-url-missing", {}, { PLUMBLINE_VERDICT_KEY: "x" }],
    ["verdict-url-missing", {}, { ...named, PLUMBLINE_VERDICT_URL: " " }],
    ["verdict-url-invalid", { url: "verdict.example" }, named],
    ["verdict-url-invalid", { url: "https://user:password@verdict.example" }, named],
    ["verdict-url-invalid", { url: "ftp://verdict.example" }, named],
    ["verdict-key-missing", {}, { PLUMBLINE_VERDICT_URL: "https://verdict.example" }],
    ["hash-file-unreadable", { keyFile: "/nowhere/key" }, named],
    ["option-invalid", {}, { ...named, PLUMBLINE_VERDICT_ALLOTMENT: "many" }],
  ])("that is half named is %s", async (code, flags, environment) => {
    const error = await failure(serviceSettings(flags, environment, "/"));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain("password");
  });

  it("has no key if its file is empty, whatever the environment contains", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "key"), "\n");
    expect((await failure(serviceSettings({ keyFile: "key" }, named, folder))).code).toBe("verdict-key-missing");
  });
});
