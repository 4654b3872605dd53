import { HeldRequests } from "../faults/held-requests.js";
import type { Administrator } from "./access/administrators.js";
import type { Clock } from "./clock.js";
import type { LabDevice } from "./device.js";
import { dispatch } from "./dispatch.js";
import { Faults } from "./faults/faults.js";
import type { ApiRequest } from "./http/request.js";
import type { JournalEntry } from "./journal.js";

/** Reply of a device to `act`, as text. */
export interface ActReply {
  readonly status: "success" | "error";
  readonly code: string | undefined;
  readonly message: string;
  readonly xml: string;
}

/** State that all devices of a lab share: the clock, the faults, the held requests and the numbers of the journal. */
export class LabCore {
  readonly clock: Clock;
  readonly faults = new Faults();
  readonly devices: readonly LabDevice[];
  #requests = 0;
  readonly held = new HeldRequests<JournalEntry>();

  constructor(devices: readonly LabDevice[], clock: Clock) {
    this.devices = devices;
    this.clock = clock;
  }

  /** Adds a journal entry for a request. */
  note(device: LabDevice, { method, params, bytes }: ApiRequest, admin: string | undefined): JournalEntry {
    this.#requests++;
    const entry: JournalEntry = {
      n: this.#requests,
      device: device.name,
      time: device.now(),
      method,
      admin,
      type: params.get("type") ?? "",
      action: params.get("action"),
      xpath: params.get("xpath"),
      element: params.get("element"),
      cmd: params.get("cmd"),
      params: Object.fromEntries(params),
      bytes,
      executed: false,
      outcome: undefined,
      reply: "pending",
      faults: [],
    };
    device.journal.push(entry);
    return entry;
  }

  /**
   * Executes a request as an administrator, without an API key and without HTTP. Tests use it to change a device without the client's
   * knowledge.
   */
  act(device: LabDevice, name: string, params: Readonly<Record<string, string>>): ActReply {
    const as: Administrator = device.administrators.get(name) ?? { name, password: name, role: { kind: "superuser" } };
    const request: ApiRequest = {
      method: "LAB",
      params: new Map(Object.entries(params)),
      credentials: { key: undefined, basic: undefined, password: undefined },
      bytes: 0,
    };
    const entry = this.note(device, request, name);
    const { reply } = dispatch(device, request, {}, as);
    const { http, status, code, message, body } = reply;
    entry.executed = true;
    entry.outcome = { http, status, code, message };
    entry.reply = "sent";
    return { status, code, message, xml: [...body].join("") };
  }
}
