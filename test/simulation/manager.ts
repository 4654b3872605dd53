import type { Dispatcher } from "undici";
import { mergeDuplicates } from "../../src/core/tree/merge-duplicates.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import type { JobFault } from "../../src/lab/panos/commit/commit.js";
import { failOver } from "../../src/lab/panos/commit/pair.js";
import { LabDevice } from "../../src/lab/panos/device.js";
import { dispatch } from "../../src/lab/panos/dispatch.js";
import type { ApiRequest } from "../../src/lab/panos/http/request.js";
import { Attachment, type PushTrouble } from "../../src/lab/panos/manager/attachment.js";
import { groupMembers } from "../../src/lab/panos/manager/memberships.js";
import { advanceManaged, type PushedDevice, setConnected } from "../../src/lab/panos/manager/push.js";
import { managed, pushOf, SERIALS } from "../lab/panos/manager/managed-lab.js";
import type { Chance } from "./chance.js";
import { OUR_ADMIN } from "./documents.js";
import { LETTERS, type Letter, type ManagerScript, type ManagerStep, type Order, type Place, type Trouble } from "./manager-script.js";
import { letterOf, marksOf, type Standing, standingOf } from "./manager-standing.js";
import { asOfTheTransport, jobIn, kindOf, orderOf } from "./manager-wire.js";
import type { Scheduler } from "./scheduler.js";
import type { Script } from "./script.js";
import type { Wire } from "./wire.js";

/**
 * The events of the manager and firewalls, in order. `source`: the process that sent the request, with `late` before it if it no longer
 * waits, or the person.
 */
export type ManagerEvent = { readonly at: number } /** Before it: how all firewalls stood. */ & (
  | {
      readonly kind: "order";
      readonly source: string;
      readonly job: number;
      readonly admin: string;
      readonly description: string;
      readonly validateOnly: boolean;
      readonly mergesCandidate: boolean;
      readonly serials: readonly string[];
      readonly templates: readonly string[];
      readonly standing: readonly Standing[];
    }
  /** The firewall's commit of the pushed configuration: the changes of another administrator in it. */
  | { readonly kind: "received"; readonly job: number; readonly letter: Letter; readonly ok: boolean; readonly gained: readonly string[] }
  | { readonly kind: "looked"; readonly source: string; readonly standing: readonly Standing[] }
  | { readonly kind: "versions"; readonly source: string }
  | {
      readonly kind: "commit";
      readonly source: string;
      readonly admin: string;
      readonly carried: readonly string[];
      readonly marks: readonly string[];
    }
);

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const PATHS: Readonly<Record<Place, string>> = {
  offices: `${DEVICE}/device-group/entry[@name='offices']/tag`,
  plants: `${DEVICE}/device-group/entry[@name='plants']/tag`,
  shared: "/config/shared/tag",
  template: `${DEVICE}/template/entry[@name='branch-net']/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system`,
};
const LOOKS = ["<show><devicegroups>", "<show><template-stack>"];

interface Armed {
  readonly order: Order;
  left: number;
  readonly when: "before" | "after";
  readonly befalls: ManagerStep;
}

/** A manager of the lab with its firewalls in this process, reached over a modelled wire. */
export class ManagerLab {
  readonly events: ManagerEvent[] = [];
  readonly manager: LabDevice;
  readonly #firewalls: ReadonlyMap<Letter, LabDevice>;
  readonly #wire: Wire;
  readonly #scheduler: Scheduler;
  readonly #kill: (source: string) => void;
  readonly #note: (words: string) => void;
  readonly #armed: Armed[] = [];
  readonly #pushed = new Map<PushedDevice, number>();
  /** Owners of commits, by job. */
  readonly #committers = new Map<number, string>();
  /** The changes in another administrator's commits, by job, and her uncommitted ones. */
  readonly #written = new Map<number, readonly string[]>();
  #open: string[] = [];
  #orders = 0;
  #commits = 0;
  #marks = 0;
  #fault: JobFault | undefined;

  constructor(
    script: Script & { readonly manager: ManagerScript },
    {
      wire,
      scheduler,
      chance,
      start,
    }: { readonly wire: Wire; readonly scheduler: Scheduler; readonly chance: Chance; readonly start: number },
    { kill, note }: { readonly kill: (source: string) => void; readonly note: (words: string) => void },
  ) {
    this.#wire = wire;
    this.#scheduler = scheduler;
    this.#kill = kill;
    this.#note = note;
    const clock = { now: () => start + scheduler.now, wait: (milliseconds: number) => scheduler.wait(milliseconds) };
    const random = (length: number) => Buffer.from(chance.hexadecimal(length * 2), "hex");
    const administrators = [
      { name: OUR_ADMIN, password: "secret", role: { kind: "superuser" as const } },
      { name: "alice", password: "alice", role: { kind: "superuser" as const } },
    ];
    const { active, lockStops, firewallJob } = script.manager;
    const slow: (() => void)[] = [];
    const devices = managed({
      administrators,
      panorama: { selective: { takes: "policies and stacks" }, pushLimits: { commitLock: lockStops ? "stops" : "lets" } },
    }).map((each, at) => {
      const config = mergeDuplicates(parseXml(String(each.config))).root;
      const jobDuration = at === 0 ? script.jobDuration : firewallJob;
      const options = { ...each, jobDuration: 0 };
      slow.push(() => Object.assign(options, { jobDuration }));
      return new LabDevice(each.name ?? "", config, options, { clock, random });
    });
    const [manager, ...firewalls] = devices;
    if (manager === undefined) throw new Error("no manager");
    this.manager = manager;
    for (const each of firewalls) {
      each.attachment = new Attachment(manager);
      manager.firewalls.push(each);
    }
    this.#firewalls = new Map(firewalls.map((each) => [each.name as Letter, each]));
    const [a, b] = [this.#of("a"), this.#of("b")];
    if (active !== undefined) {
      [a.peer, b.peer] = [b, a];
      [a.haState, b.haState] = active === "a" ? ["active", "passive"] : ["passive", "active"];
    }
    this.#begin();
    for (const each of slow) each();
  }

  /** All firewalls have the complete running configuration. */
  #begin(): void {
    this.#push();
    for (let look = 0; look < 3; look++) this.#look();
    this.events.length = 0;
  }

  #of(letter: Letter): LabDevice {
    const found = this.#firewalls.get(letter);
    if (found === undefined) throw new Error(`no firewall ${letter}`);
    return found;
  }

  /** The connections of one process. */
  dispatcher(source: string): Dispatcher {
    const request = (options: Dispatcher.RequestOptions) => this.#ask(source, options);
    return { request, destroy: async () => undefined, close: async () => undefined } as unknown as Dispatcher;
  }

  async #ask(source: string, { method, path, body }: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const url = new URL(path, "http://lab");
    const params = new Map([...url.searchParams, ...new URLSearchParams(typeof body === "string" ? body : "")]);
    const credentials = { key: params.get("key"), basic: undefined, password: params.get("password") };
    params.delete("key");
    params.delete("password");
    const request: ApiRequest = { method: String(method), params, credentials, bytes: 0 };
    const text = await this.#wire
      .once(kindOf(params), (isLate) => this.#answer(isLate ? `late ${source}` : source, request))
      .catch((error: unknown) => {
        throw asOfTheTransport(error);
      });
    const bytes = Buffer.from(text);
    async function* content() {
      yield bytes;
    }
    return { statusCode: 200, headers: { "content-type": "application/xml" }, body: content() } as unknown as Dispatcher.ResponseData;
  }

  /** Executes a request of Plumbline on the manager, with the faults of that moment. */
  #answer(source: string, request: ApiRequest): string {
    this.#look();
    const order = orderOf(request.params);
    const due = order === undefined ? [] : this.#meet(order);
    for (const { when, befalls } of due) if (when === "before") this.take(befalls, source);
    if (due.some(({ when, befalls }) => when === "before" && befalls.act === "kill")) return "";
    const standing = standingOf(this.manager);
    const fault = order === "commit" ? this.#fault : undefined;
    if (fault !== undefined) this.#fault = undefined;
    const { reply } = dispatch(this.manager, request, fault ?? {});
    const text = [...reply.body].join("");
    const job = jobIn(text);
    if (order === "commit" && job !== undefined) this.#committers.set(job, source);
    this.#look(source, standing);
    const command = request.params.get("cmd") ?? "";
    const at = this.#scheduler.now;
    if (LOOKS.some((words) => command.startsWith(words))) this.events.push({ at, kind: "looked", source, standing });
    if (command.startsWith("<show><config><audit><info>")) this.events.push({ at, kind: "versions", source });
    for (const { when, befalls } of due) if (when === "after") this.take(befalls, source);
    return text;
  }

  #meet(order: Order): readonly Armed[] {
    const due: Armed[] = [];
    for (const each of [...this.#armed]) {
      if (each.order !== order) continue;
      each.left -= 1;
      if (each.left > 0) continue;
      due.push(each);
      this.#armed.splice(this.#armed.indexOf(each), 1);
    }
    return due;
  }

  /** Records jobs, commits and deliveries since the last call. */
  #look(source = "alice", standing: readonly Standing[] = []): void {
    const before = new Map([...this.#firewalls].map(([letter, each]) => [letter, marksOf(each)]));
    advanceManaged(this.manager);
    const at = this.#scheduler.now;
    for (const { job, admin, description, validateOnly, mergesCandidate, serials, templates } of this.manager.pushes.slice(this.#orders)) {
      const said = { job, admin, description, validateOnly, mergesCandidate, serials, templates };
      this.events.push({ at, kind: "order", source, standing, ...said });
    }
    this.#orders = this.manager.pushes.length;
    for (const { admin, edits, job } of this.manager.commits.slice(this.#commits)) {
      const carried = [...new Set(edits.map((edit) => edit.admin))];
      const marks = this.#written.get(job) ?? [];
      const source = admin === "alice" ? admin : (this.#committers.get(job) ?? "nobody");
      this.events.push({ at, kind: "commit", source, admin, carried, marks });
    }
    this.#commits = this.manager.commits.length;
    this.#lookAtFirewalls(before);
  }

  #lookAtFirewalls(before: ReadonlyMap<Letter, ReadonlySet<string>>): void {
    const at = this.#scheduler.now;
    for (const { id, push } of this.manager.jobs.all())
      for (const device of push?.devices ?? []) if (device.job !== undefined && !this.#pushed.has(device)) this.#pushed.set(device, id);
    for (const [device, job] of this.#pushed) {
      if (device.job?.finished === undefined || job < 0) continue;
      const letter = letterOf(device.serial);
      const gained = [...marksOf(this.#of(letter))].filter((mark) => before.get(letter)?.has(mark) !== true);
      this.events.push({ at, kind: "received", job, letter, ok: device.job.outcome?.ok === true, gained });
      this.#pushed.set(device, -1);
    }
  }

  /** An action of a person, or a fault of a device. `source`: the process whose request triggers it. */
  take(step: ManagerStep, source = "nobody"): void {
    this.#look();
    this.#note(`at the manager: ${JSON.stringify(step)}`);
    switch (step.act) {
      case "commit":
      case "edit":
        this.#write(step.place, step.act === "commit");
        return;
      case "push":
        this.#push();
        return;
      case "move":
        this.#move();
        return;
      case "forget":
        this.manager.jobs.forget();
        return;
      case "fail-over":
        failOver(this.#of("a"));
        return;
      case "fail-commit":
        this.#fault = { failsWith: ["Commit failed"] };
        return;
      case "idle-commit":
        this.#fault = { doesNothing: true };
        return;
      case "kill":
        this.#kill(source);
        return;
      case "away":
        setConnected(this.#of(step.firewall), false);
        this.#scheduler.in(step.for, () => this.#back(step.firewall));
        return;
      case "trouble":
        this.#trouble(step.firewall, troubleOf(step.kind));
        this.#scheduler.in(step.for, () => this.#trouble(step.firewall, undefined));
        return;
      case "lock":
        this.#lock(step.on);
        this.#scheduler.in(step.for, () => this.#unlock(step.on));
        return;
      case "at-order":
        this.#armed.push({ order: step.order, left: step.nth, when: step.when, befalls: step.befalls });
        return;
      default:
    }
  }

  /** No more faults happen, and the other administrators stop. */
  calm(): void {
    this.#armed.length = 0;
    this.#fault = undefined;
    for (const letter of LETTERS) {
      this.#back(letter);
      this.#trouble(letter, undefined);
      this.#unlock(letter);
    }
    this.#unlock("manager");
    this.#act({ type: "op", cmd: "<revert><config><partial><admin><member>alice</member></admin></partial></config></revert>" });
  }

  /** Another administrator pushes the complete running configuration to all. */
  push(): void {
    this.#note("alice pushes all");
    this.#push();
  }

  #back(letter: Letter): void {
    setConnected(this.#of(letter), true);
    this.#look();
  }

  #trouble(letter: Letter, trouble: PushTrouble | undefined): void {
    this.#look();
    const { attachment, jobs } = this.#of(letter);
    if (attachment === undefined) return;
    // Restarts processes that never answered.
    if (attachment.trouble?.kind === "never-answers") jobs.forget();
    attachment.trouble = trouble;
  }

  #lock(on: Letter | "manager"): void {
    const device = on === "manager" ? this.manager : this.#of(on);
    const kind = on === "manager" ? "commit" : "config";
    if (device.locks.list(kind, "all").length > 0) return;
    device.locks.add({ kind, scope: "shared", owner: "alice", comment: "", created: 0 });
  }

  #unlock(on: Letter | "manager"): void {
    this.#look();
    const device = on === "manager" ? this.manager : this.#of(on);
    device.locks.releaseAfterCommit("alice");
  }

  #write(place: Place, isCommitted: boolean): void {
    this.#marks += 1;
    const mark = `theirs-${this.#marks}`;
    const element = place === "template" ? `<login-banner>${mark}</login-banner>` : `<entry name="${mark}"/>`;
    this.#act({ type: "config", action: "set", xpath: PATHS[place], element });
    this.#open.push(mark);
    if (isCommitted) this.#commit();
  }

  #commit(): void {
    const said = this.#act({ type: "commit", cmd: "<commit><partial><admin><member>alice</member></admin></partial></commit>" });
    const job = jobIn(said);
    if (job !== undefined) this.#written.set(job, this.#open.splice(0));
    this.#look();
  }

  #move(): void {
    const at = (group: string) => `${DEVICE}/device-group/entry[@name='${group}']/devices`;
    const isIn = groupMembers(this.manager.running, "branch").some(({ serial }) => serial === SERIALS.b);
    const [from, to] = isIn ? ["branch", "all"] : ["all", "branch"];
    this.#act({ type: "config", action: "delete", xpath: `${at(from)}/entry[@name='${SERIALS.b}']` });
    this.#act({ type: "config", action: "set", xpath: at(to), element: `<entry name="${SERIALS.b}"/>` });
    this.#commit();
  }

  #push(): void {
    const whole = { all: [], offices: [], branch: [], plants: [] };
    this.#act({ type: "commit", action: "all", cmd: pushOf(whole, "<include-template>yes</include-template>") });
  }

  /** A request of Alice. If the manager refuses it, it has no effect. */
  #act(params: Readonly<Record<string, string>>): string {
    const request: ApiRequest = {
      method: "LAB",
      params: new Map(Object.entries(params)),
      credentials: { key: undefined, basic: undefined, password: undefined },
      bytes: 0,
    };
    const standing = standingOf(this.manager);
    const { reply } = dispatch(this.manager, request, {}, { name: "alice", password: "alice", role: { kind: "superuser" } });
    if (reply.status !== "success") this.#note(`alice: ${reply.message}`);
    const text = [...reply.body].join("");
    if (params.action === "all") this.#look("alice", standing);
    return text;
  }
}

function troubleOf(kind: Trouble): PushTrouble {
  switch (kind) {
    case "fails":
      return { kind, lines: ["Commit failed"] };
    case "slow":
      return { kind, duration: 30_000 };
    case "reverts-and-says":
      return { kind: "reverts", says: ["reverted"] };
    case "loses":
      return { kind, name: "g1" };
    default:
      return { kind };
  }
}
