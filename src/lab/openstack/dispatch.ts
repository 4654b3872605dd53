import { handleCompute } from "./compute/handle-compute.js";
import type { Effect } from "./faults/fault.js";
import type { ServiceReply } from "./http/reply.js";
import type { ServiceRequest } from "./http/request.js";
import { handleIdentity } from "./identity/handle-identity.js";
import { handleImage } from "./image/handle-image.js";
import type { LabCore } from "./lab-core.js";
import { handleNetwork } from "./network/handle-network.js";
import { handleVolume } from "./volume/handle-volume.js";

/** What a request is answered with by the service that it was sent to. */
export function dispatch(core: LabCore, request: ServiceRequest, effects: readonly Effect[]): ServiceReply {
  switch (request.service) {
    case "identity":
      return handleIdentity(core, request);
    case "network":
      // What servers come to have, or lose, shows on their ports.
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
