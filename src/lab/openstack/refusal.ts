import { json, plain, type ServiceReply } from "./http/reply.js";
import type { Service } from "./options.js";

/** A refusal in the form of the service. `type` is what each names an error by. */
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
