import { createHash } from "node:crypto";
import { PlumblineError } from "../../core/errors.js";
import { reveal } from "../../core/secret.js";
import type { PanosClient } from "./client/client.js";
import { childOf, descend, saysUnknownCommand, textOf } from "./client/reply.js";
import { op } from "./client/request.js";
import { showAdministrators } from "./commands.js";
import { requireSuccess } from "./device-errors.js";
import type { KnownDevices } from "./known-devices.js";
import type { PanosSession } from "./session.js";
import type { PanosTargetConfiguration } from "./settings.js";

/** Our own name on the device: what it says of the session itself, else the configured user name. */
async function askAdministrator(client: PanosClient, configuration: PanosTargetConfiguration): Promise<string> {
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

/**
 * Our own name on a device. What a run before learned of this very box, version and login is believed for as long as nothing is judged by it:
 * whoever is about to tell our work or locks from others' asks the device first, or has seen our own lock bear that name.
 */
export class OwnName {
  readonly #session: PanosSession;
  readonly #configuration: PanosTargetConfiguration;
  readonly #devices: KnownDevices;
  readonly #login: string;
  #believed: Promise<string> | undefined;
  #asked: Promise<string> | undefined;

  constructor(session: PanosSession, configuration: PanosTargetConfiguration, devices: KnownDevices) {
    this.#session = session;
    this.#configuration = configuration;
    this.#devices = devices;
    this.#login = loginOf(configuration);
  }

  /** Asks for it beside what else is asked as a device is opened, where there is no choice of devices and nobody has asked this one before. */
  begin(): void {
    const { only } = this.#session;
    // What fails is said to whoever asks for the name.
    if (only !== undefined && this.#devices.nameAt(only.box, this.#login) === undefined) this.sure().catch(() => undefined);
  }

  /** As it is known, or as the device says where nobody has asked it before. */
  get(): Promise<string> {
    this.#believed ??= this.#known();
    return this.#believed;
  }

  /** As the device itself says in this run. */
  sure(): Promise<string> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  /**
   * Before whose anything is may be told.
   * @throws PlumblineError `administrator-unknown` where the device knows us by another name than we went by so far
   */
  async judges(): Promise<void> {
    const [name, believed] = await Promise.all([this.sure(), this.#believed]);
    if (believed === undefined || believed === name) return;
    const { origin, target } = (await this.#session.chosen()).place;
    throw new PlumblineError("administrator-unknown", `${origin} knows us as ${name}, and as ${believed} before`, {
      where: { target },
      next: "Run again: what was planned by the other name is planned anew.",
      severity: "refused",
    });
  }

  /** Told whose the device says the lock is that this run has taken: nobody else's bears its comment. */
  async seen(owner: string): Promise<void> {
    if ((await this.get()) === owner) this.#asked ??= Promise.resolve(owner);
  }

  async #known(): Promise<string> {
    // Another box, or another version, has made it forgotten.
    const { client } = await this.#session.current();
    return this.#devices.nameAt(client.box, this.#login) ?? (await this.sure());
  }

  async #ask(): Promise<string> {
    const client = await this.#session.chosen();
    const name = await askAdministrator(client, this.#configuration);
    // Who answers is known by then.
    await this.#session.current();
    this.#devices.rememberName(client.box, this.#login, name);
    return name;
  }
}

/** By what we log in: a key is made of one administrator's name and password, and is nobody else's ever. */
function loginOf({ credentials: { username, apiKey } }: PanosTargetConfiguration): string {
  const text = apiKey === undefined ? ["user", reveal(username ?? "")] : ["key", reveal(apiKey)];
  return createHash("sha256").update(JSON.stringify(text)).digest("hex");
}
