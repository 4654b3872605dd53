import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { DataCentre } from "./data-centre.js";

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

/** A server of an image that the verdict service calls `word`. */
async function wanting(word: string, more = ""): Promise<DataCentre> {
  const world = await DataCentre.start();
  world.cloud.world.images.add("appliance", world.cloud.world.as("demo").projectId ?? "", { checksum: md5(`plumbline lab: ${word}`) });
  const server = "s: { image: appliance, flavor: m1.tiny, networks: [{ network: private }] }";
  return world
    .file(
      "documents/cloud.yaml",
      `target: cloud\nscope: project\nartifacts: { images: [appliance]${more} }\nconfig: { servers: { ${server} } }\n`,
    )
    .push();
}

const serversMade = (world: DataCentre): number =>
  world.cloud.journal.filter(({ method, path }) => method === "POST" && path.endsWith("/servers")).length;

it("a server with a malicious image is refused and not created", async () => {
  const world = await wanting("malicious", ", onUnknown: warn, onUnavailable: warn");
  for (const command of ["plan", "reconcile"]) {
    const { code, out } = await world.run(command);
    expect(code, out).toBe(3);
    expect(out).toContain(`image appliance (${md5("plumbline lab: malicious")}) is malicious`);
  }
  expect(serversMade(world)).toBe(0);
});

it("a server with a clean image is created", async () => {
  const world = await wanting("benign");
  const { code, out, err } = await world.run("reconcile");
  expect(code, out + err).toBe(0);
  expect(serversMade(world)).toBe(1);
});

it.each([
  ["is down", (world: DataCentre) => world.verdicts.close()],
  [
    "is not named",
    async (world: DataCentre) => {
      world.environment = { PLUMBLINE_VERDICT_URL: "" };
    },
  ],
])("where the verdict service %s, the document decides", async (_, fail) => {
  const world = await wanting("benign");
  await fail(world);
  const refused = await world.run("reconcile");
  expect(refused.code, refused.out).toBe(3);
  expect(refused.out).toContain("onUnavailable: warn in the document allows it");
  expect(serversMade(world)).toBe(0);
  expect(refused.out + refused.err).not.toContain("lab-verdict-key");
});

it("with onUnavailable: warn it is created, and the report marks the verdict as unknown", async () => {
  const world = await wanting("benign", ", onUnavailable: warn");
  await world.verdicts.close();
  const { code, out } = await world.run("reconcile");
  expect(code, out).toBe(0);
  expect(out).toContain("image appliance");
  expect(out).toContain("has no verdict");
  expect(serversMade(world)).toBe(1);
});

it("without the image service, the document decides", async () => {
  const world = await DataCentre.start();
  world
    .file("documents/cloud.yaml", "target: cloud\nscope: project\nartifacts: { images: [cirros] }\nconfig: { networks: { n: {} } }\n")
    .push();
  world.cloud.fault({ match: { service: "image" }, effect: { kind: "status", status: 503 }, count: 1000 });
  const { code, out } = await world.run("reconcile");
  expect(code, out).toBe(3);
  expect(out).toContain("image cirros has no verdict: the image service at");
  expect(world.networks).toEqual(["private", "public"]);
});

it("an unknown image, and a name without an image, are refused", async () => {
  const world = await wanting("nobody ever saw this");
  expect((await world.run("plan")).out).toContain("is unknown; onUnknown: warn");
  world
    .file("documents/cloud.yaml", "target: cloud\nscope: project\nartifacts: { images: [gone] }\nconfig: { networks: { n: {} } }\n")
    .push();
  const { code, out } = await world.run("plan");
  expect([code, out.includes("there is no such image, it has no checksum, or several of its name differ")]).toEqual([3, true]);
});
