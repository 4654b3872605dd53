import { randomBytes } from "node:crypto";
import { startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { ManualClock } from "../../../src/lab/panos/clock.js";
import { openOpenstackWriter } from "../../../src/targets/openstack/writer.js";
import type { Bench } from "../conformance/bench.js";
import { LossyPools } from "../conformance/lossy-pool.js";
import { NOT_ON_CLOUDS, onCloud } from "../conformance/on-cloud.js";
import { targetConformance } from "../conformance/target-conformance.js";
import { configuration, demoAccess, dependencies } from "./fixtures.js";

async function cloud(): Promise<Bench> {
  const clock = new ManualClock();
  const lab = await startOpenstackLab({ ports: "free", clock, random: randomBytes });
  const pools = new LossyPools();
  return {
    ...onCloud,
    connect: () => openOpenstackWriter(configuration(demoAccess(lab.authUrl)), dependencies(clock, { dispatcher: pools.dispatcher })),
    loseReply: () => pools.loseReply(),
    close: () => lab.close(),
  };
}

targetConformance("a lab cloud", cloud, NOT_ON_CLOUDS);
