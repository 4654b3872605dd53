import { afterEach, describe, inject } from "vitest";
import { openLab, openReal, type Rig } from "./rig.js";

/** The part that this process runs; both by default. */
const half = process.env.PLUMBLINE_SUITE;

/** Runs the same cases on the real services, if available, and on the lab. */
export function onEachCloud(title: string, cases: (open: () => Promise<Rig>) => void): void {
  onRealServices(title, cases);
  describe.skipIf(half === "real")(`${title}, on the lab`, () => cases(closedAfterwards(openLab)));
}

function onRealServices(title: string, cases: (open: () => Promise<Rig>) => void): void {
  const services = inject("services");
  const real = "real" in services ? services.real : undefined;
  describe.skipIf(real === undefined)(`${title}, on the real services`, () => {
    if (real !== undefined) cases(closedAfterwards(() => openReal(real)));
  });
}

function closedAfterwards(open: () => Promise<Rig>): () => Promise<Rig> {
  const opened: Rig[] = [];
  afterEach(async () => {
    for (const rig of opened.splice(0)) await rig.close();
  });
  return async () => {
    const rig = await open();
    opened.push(rig);
    return rig;
  };
}
