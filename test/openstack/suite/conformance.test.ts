import { dirname } from "node:path";
import { systemHttpDependencies } from "../../../src/http/dependencies.js";
import { openOpenstackWriter } from "../../../src/targets/openstack/writer.js";
import type { Bench } from "../../targets/conformance/bench.js";
import { LossyPools } from "../../targets/conformance/lossy-pool.js";
import { NOT_ON_CLOUDS, onCloud } from "../../targets/conformance/on-cloud.js";
import { targetConformance } from "../../targets/conformance/target-conformance.js";
import { onEachCloud } from "../harness/clouds.js";
import type { Rig } from "../harness/rig.js";

const SETTINGS = {
  kind: "openstack",
  name: "cloud",
  cloud: "lab",
  access: { endpoints: new Map<string, string>() },
  tls: { insecure: false },
  folder: "/nowhere",
  references: [],
  mode: "enforce",
  rewriteLists: "never",
  approve: "none",
  timeout: 60,
  createSettle: 30,
  concurrency: 10,
  pageSize: undefined,
} as const;

/** The project of a rig, which closes itself after the test. */
function benchOn({ cloudsFile }: Rig): Bench {
  const pools = new LossyPools();
  const folder = dirname(cloudsFile);
  const machine = { environment: { OS_CLIENT_CONFIG_FILE: cloudsFile }, home: folder, workingFolder: folder };
  const injected = {
    ...systemHttpDependencies({ debug: () => undefined, warn: () => undefined }),
    ...machine,
    dispatcher: pools.dispatcher,
  };
  return {
    ...onCloud,
    connect: () => openOpenstackWriter(SETTINGS, injected),
    loseReply: () => pools.loseReply(),
    close: async () => undefined,
  };
}

onEachCloud("the conformance suite", (open) => targetConformance("a cloud", async () => benchOn(await open()), NOT_ON_CLOUDS));
