import { PlumblineError } from "../../core/errors.js";
import { reveal } from "../../core/secret.js";
import type { PanosClient } from "./client/client.js";
import { childOf, descend, saysUnknownCommand, textOf } from "./client/reply.js";
import { op } from "./client/request.js";
import { showAdministrators } from "./commands.js";
import { requireSuccess } from "./device-errors.js";
import type { PanosTargetConfiguration } from "./settings.js";

/** Our own name on the device: what it says of the session itself, else the configured user name. */
export async function askAdministrator(client: PanosClient, configuration: PanosTargetConfiguration): Promise<string> {
  const reply = await client.send(op(showAdministrators));
  const known = saysUnknownCommand(reply) ? undefined : descend(requireSuccess(reply, client.place).result, "admins");
  const self = known?.children.find((entry) => childOf(entry, "self") !== undefined);
  const name = self === undefined ? "" : textOf(childOf(self, "admin")) || (self.name ?? "");
  if (name !== "") return name;
  const { username } = configuration.credentials;
  if (username !== undefined) return reveal(username);
  throw new PlumblineError("administrator-unknown", `${client.place.origin} does not say whose API key this is`, {
    where: { target: client.place.target },
    next: "Set credentials.username of the target to the administrator that the key belongs to.",
  });
}
