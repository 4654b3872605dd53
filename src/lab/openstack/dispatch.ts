import { handleCompute } from "./compute/handle-compute.js";
import type { Effect } from "./faults/fault.js";
import type { ServiceReply } from "./http/reply.js";
import type { ServiceRequest } from "./http/request.js";
import { handleIdentity } from "./identity/handle-identity.js";
import { handleImage } from "./image/handle-image.js";
import type { LabCore } from "./lab-core.js";
import { handleNetwork } from "./network/handle-network.js";
import { handleVolume } from "./volume/handle-volume.js";

/** Passes a request to its service and returns the reply. */
export function dispatch(core: LabCore, request: ServiceRequest, effects: readonly Effect[]): ServiceReply {
  switch (request.service) {
    case "identity":
      return handleIdentity(core, request);
    case "network":
      // Finished changes of servers change their ports.
      core.world.compute.settle();
      return handleNetwork(core, request);
    case "image":
      return handleImage(core, request);
    case "compute":
      return handleCompute(core, request, effects);
    case "volume":
      return handleVolume(core, request, effects.find((effect) => effect.kind === "volume-ends")?.status);
  }
}
