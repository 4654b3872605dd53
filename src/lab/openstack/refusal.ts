import { json, plain, type ServiceReply } from "./http/reply.js";
import type { Service } from "./options.js";

/** Returns a refusal in the format of the service. `type` is the service's name for the error. */
export function refusal(service: Service, status: number, type: string, message: string): ServiceReply {
  switch (service) {
    case "identity":
      return { ...json(status, { error: { code: status, message, title: type } }), message };
    case "network":
      return { ...json(status, { NeutronError: { type, message, detail: "" } }), message };
    case "compute":
    case "volume":
      return { ...json(status, { [type]: { code: status, message } }), message };
    case "image":
      return { ...plain(status, `${status} ${type}\n\n${message}\n\n   `), message };
  }
}
