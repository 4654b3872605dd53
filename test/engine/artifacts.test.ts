import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import type { Artifacts } from "../../src/desired/checks.js";
import { artifactWarnings, judgeArtifacts } from "../../src/engine/artifacts.js";
import { refuseVerdicts } from "../../src/guards/verdict.js";

const [GOOD, BAD, OPEN] = ["a", "b", "c"].map((digit) => digit.repeat(32)) as [string, string, string];
const VERDICTS = new Map([
  [GOOD, 0],
  [BAD, 1],
]);
const list = (more: Partial<Artifacts>): Artifacts => ({ hashes: [], images: [], onUnknown: "refuse", onUnavailable: "refuse", ...more });
const guards = (refusals: ReturnType<typeof refuseVerdicts>) => refusals.map(({ guard, message }) => `${guard}: ${message}`);

const AGAIN = `; \`plumbline verdict --fresh ${BAD}\` requests it again`;

describe("artifacts", () => {
  it("are requested once each, also if several documents list them", async () => {
    const asked: string[][] = [];
    const ask = async (hashes: readonly string[]) => {
      asked.push([...hashes]);
      return VERDICTS;
    };
    const verdicts = await judgeArtifacts([list({ hashes: [GOOD, BAD] }), list({ hashes: [BAD, OPEN] })], { read: ask });
    expect(asked).toEqual([[GOOD, BAD, OPEN]]);
    expect(verdicts.map(({ word }) => word)).toEqual(["benign", "malicious", "malicious", "absent"]);
  });

  it("refuse always if bad, and if unknown only for writes without warn", async () => {
    const ask = async () => VERDICTS;
    const strict = await judgeArtifacts([list({ hashes: [GOOD, BAD, OPEN] })], { read: ask });
    expect(guards(refuseVerdicts({ verdicts: strict, writes: false }))).toEqual([`verdict: the file ${BAD} is malicious${AGAIN}`]);
    expect(guards(refuseVerdicts({ verdicts: strict, writes: true }))).toEqual([
      `verdict: the file ${BAD} is malicious${AGAIN}`,
      `verdict: the file ${OPEN} is absent; onUnknown: warn in the document allows it`,
    ]);
    const lenient = await judgeArtifacts([list({ hashes: [BAD, OPEN], onUnknown: "warn" })], { read: ask });
    expect(guards(refuseVerdicts({ verdicts: lenient, writes: true }))).toEqual([`verdict: the file ${BAD} is malicious${AGAIN}`]);
    expect(artifactWarnings(lenient)).toEqual([`the file ${OPEN} is absent`]);
  });

  it("without a verdict follow onUnavailable", async () => {
    const ask = async () => {
      throw new PlumblineError("verdict-service-unavailable", "nobody answers");
    };
    const strict = await judgeArtifacts([list({ hashes: [GOOD] })], { read: ask });
    expect(guards(refuseVerdicts({ verdicts: strict, writes: true }))).toEqual([
      `verdict: the file ${GOOD} has no verdict: nobody answers; onUnavailable: warn in the document allows it`,
    ]);
    expect(refuseVerdicts({ verdicts: strict, writes: false })).toEqual([]);
    const lenient = await judgeArtifacts([list({ hashes: [GOOD], onUnavailable: "warn" })], { read: ask });
    expect(refuseVerdicts({ verdicts: lenient, writes: true })).toEqual([]);
    expect(artifactWarnings(lenient)).toEqual([`the file ${GOOD} has no verdict: nobody answers`]);
  });

  it("with an unexpected error are not treated as an unavailable service", async () => {
    const ask = async () => {
      throw new TypeError("a mistake of ours");
    };
    await expect(judgeArtifacts([list({ hashes: [GOOD] })], { read: ask })).rejects.toThrow("a mistake of ours");
  });
});

describe("images", () => {
  const ask = async () => VERDICTS;

  it("are identified by the checksum of the image service", async () => {
    const imageChecksum = async (name: string) => ({ clean: GOOD.toUpperCase(), dirty: BAD })[name];
    const verdicts = await judgeArtifacts([list({ images: ["clean", "dirty", "gone"] })], {
      read: ask,
      images: { checksum: imageChecksum },
    });
    expect(verdicts.map(({ image, word }) => [image, word])).toEqual([
      ["clean", "benign"],
      ["dirty", "malicious"],
      ["gone", "unavailable"],
    ]);
    expect(guards(refuseVerdicts({ verdicts: verdicts, writes: true }))).toEqual([
      `verdict: image dirty (${BAD}) is malicious${AGAIN}`,
      "verdict: image gone has no verdict: there is no such image, it has no checksum, or several of its name differ; onUnavailable: warn in the document allows it",
    ]);
  });

  it("are unavailable if the target has no image service, or it does not answer", async () => {
    const [none] = await judgeArtifacts([list({ images: ["clean"] })], { read: ask });
    expect(none?.why).toBe("the target has no image service");
    const imageChecksum = async () => {
      throw new PlumblineError("cloud-unreachable", "the image service does not answer");
    };
    const [down] = await judgeArtifacts([list({ images: ["clean"] })], { read: ask, images: { checksum: imageChecksum } });
    expect([down?.standing, down?.why]).toEqual(["unavailable", "the image service does not answer"]);
  });
});
