import { describe, expect, it } from "vitest";
import { driftSummary, planSummary } from "../../../src/report/format-counts.js";
import {
  birthDescription,
  keyPairMark,
  markedPublicKey,
  markInTags,
  markTags,
  metadataMark,
  networkMark,
  otherTags,
  withoutMark,
} from "../../../src/targets/openstack/owner-marks.js";
import { CloudWorld } from "./cloud-world.js";

const MARK = { owner: "netops", key: "web a" };

describe("a mark", () => {
  it("is read from its tags, with any other tags in between", () => {
    const object = { tags: ["green", ...markTags(MARK), "blue"] };
    expect(markInTags(object)).toEqual(MARK);
    expect(otherTags(object)).toEqual(["green", "blue"]);
  });

  it("is read from the initial description of an object; tags take precedence", () => {
    expect(networkMark({ tags: [], description: birthDescription(MARK) })).toEqual(MARK);
    const other = { owner: "netops", key: "b" };
    expect(networkMark({ tags: markTags(other), description: birthDescription(MARK) })).toEqual(other);
    expect(networkMark({ tags: ["plumbline:owner=netops"], description: "about plumbline:owner=x plumbline:key=y" })).toBeUndefined();
  });

  it("fits tags of 60 characters with the longest name", () => {
    expect(markTags({ owner: "netops", key: "x".repeat(46) })[1]).toHaveLength(60);
  });

  it("is read from the metadata of a server", () => {
    expect(metadataMark({ metadata: { plumbline_owner: "netops", plumbline_key: "web a" } })).toEqual(MARK);
    expect(metadataMark({ metadata: { plumbline_owner: "netops" } })).toBeUndefined();
  });

  it("is read from the comment of a public key, unless it was copied to another key pair", () => {
    const public_key = markedPublicKey("ssh-ed25519 AAAA ops@example", MARK);
    expect(keyPairMark({ name: "web a", public_key })).toEqual(MARK);
    expect(keyPairMark({ name: "other", public_key })).toBeUndefined();
    expect(withoutMark(public_key)).toBe("ssh-ed25519 AAAA ops@example");
    expect(markedPublicKey(public_key, MARK)).toBe(public_key);
  });
});

it("a plan that only marks live objects reports it, and so does drift when a mark was removed", async () => {
  const world = await CloudWorld.start();
  const made = world.act("POST", "/v2.0/networks", { network: { name: "n" } });
  const { id } = (made.body as unknown as { network: { id: string } }).network;
  world.want("networks: { n: { $adopt: true }, z: {} }");
  expect(planSummary((await world.plan()).plan?.changes ?? [])).toBe("1 to create · 1 to take over");
  await world.reconciled();
  world.act("PUT", `/v2.0/networks/${id}/tags`, { tags: [] });
  const items = (await world.drift()).drift?.items ?? [];
  expect(driftSummary(items.map(({ change }) => change))).toBe("1 without the ownership mark");
});
