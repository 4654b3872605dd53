import { createHash } from "node:crypto";
import { PlumblineError } from "../../core/errors.js";
import { reveal } from "../../core/secret.js";
import type { PanosClient } from "./client/client.js";
import { showAdministrators } from "./client/commands.js";
import { childOf, descend, textOf } from "./client/reply.js";
import type { KnownDevices } from "./known-devices.js";
import type { PanosSession } from "./session.js";
import type { PanosTargetConfiguration } from "./settings.js";

/** Returns the administrator name of this session: the name that the device reports, otherwise the configured user name. */
async function queryAdministrator(client: PanosClient, configuration: PanosTargetConfiguration): Promise<string> {
  const reply = await client.runIfSupported(showAdministrators);
  const self = descend(reply?.result, "admins")?.children.find((entry) => childOf(entry, "self") !== undefined);
  const name = self === undefined ? "" : textOf(childOf(self, "admin")) || (self.name ?? "");
  if (name !== "") return name;
  const { username } = configuration.credentials;
  if (username !== undefined) return reveal(username);
  throw new PlumblineError("administrator-unknown", `${client.place.origin} does not report the administrator of this API key`, {
    where: { target: client.place.target },
    next: "Set credentials.username of the target to the administrator that the key belongs to.",
  });
}

/**
 * The administrator name of this session on a device. A name remembered from an earlier run (same device, version and login) is used until
 * a decision depends on it. Before a run distinguishes its own work or locks from those of others, it requests the name from the device, or
 * sees its own lock under that name.
 */
export class OwnName {
  readonly #session: PanosSession;
  readonly #configuration: PanosTargetConfiguration;
  readonly #devices: KnownDevices;
  readonly #login: string;
  #believed: Promise<string> | undefined;
  #administrator: Promise<string> | undefined;

  constructor(session: PanosSession, configuration: PanosTargetConfiguration, devices: KnownDevices) {
    this.#session = session;
    this.#configuration = configuration;
    this.#devices = devices;
    this.#login = loginOf(configuration);
  }

  /**
   * Starts the request for the name while the device is opened. Only if the target has a single address and no earlier run learned the
   * name.
   */
  begin(): void {
    const { only } = this.#session;
    // The caller that needs the name gets the error.
    if (only !== undefined && this.#devices.nameAt(only.box, this.#login) === undefined) this.sure().catch(() => undefined);
  }

  /** The remembered name, or the name that the device reports if none is remembered. */
  get(): Promise<string> {
    this.#believed ??= this.#known();
    return this.#believed;
  }

  /** The name that the device reports in this run. */
  sure(): Promise<string> {
    this.#administrator ??= this.#query();
    return this.#administrator;
  }

  /**
   * Called before a run decides whose a change or a lock is.
   * @throws PlumblineError `administrator-unknown` if the device reports another name than the remembered one
   */
  async judges(): Promise<void> {
    const [name, believed] = await Promise.all([this.sure(), this.#believed]);
    if (believed === undefined || believed === name) return;
    const { origin, target } = (await this.#session.chosen()).place;
    throw new PlumblineError("administrator-unknown", `${origin} reports the account ${name}, and ${believed} before`, {
      where: { target },
      next: "Run again: the plan is made again for this account.",
      severity: "refused",
    });
  }

  /** Records the owner of the lock that this run has taken: only this run's lock has its comment. */
  async seen(owner: string): Promise<void> {
    if ((await this.get()) === owner) this.#administrator ??= Promise.resolve(owner);
  }

  async #known(): Promise<string> {
    // Opening the session drops the remembered name if the device or its version has changed.
    const { client } = await this.#session.current();
    return this.#devices.nameAt(client.box, this.#login) ?? (await this.sure());
  }

  async #query(): Promise<string> {
    const client = await this.#session.chosen();
    const name = await queryAdministrator(client, this.#configuration);
    // The identity of the device must be known before the name is remembered.
    await this.#session.current();
    this.#devices.rememberName(client.box, this.#login, name);
    return name;
  }
}

/** Hash of the login. An API key belongs to one administrator's name and password. */
function loginOf({ credentials: { username, apiKey } }: PanosTargetConfiguration): string {
  const text = apiKey === undefined ? ["user", reveal(username ?? "")] : ["key", reveal(apiKey)];
  return createHash("sha256").update(JSON.stringify(text)).digest("hex");
}
