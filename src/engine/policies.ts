import type { Where } from "../core/errors.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { TargetConfiguration } from "../desired/configuration.js";
import type { AddressRange, FlowSet, Named, Policy, Unknown, Verdict } from "../insight/policy.js";
import type { Session } from "../insight/replay.js";
import type { JudgedFirewall } from "../outcome/insight.js";
import type { ReachAnswer, Way } from "../outcome/reach.js";
import type { FlowAsSent } from "../outcome/whole-path.js";
import type { LogRecord } from "./log-reader.js";

/** Of a kind whose trees hold rules that let through and stop: what insight is told of them (docs/insight.md). */
export interface PolicyRole {
  /** True where a change at a path may change what is let through. */
  concerns(path: Path): boolean;
  /** All that must be read for the policies of a target to be whole; by what is desired of it. */
  subtrees(desired: TreeNode, configuration: TargetConfiguration): readonly Path[];
  /** What must be read beside these to follow a flow through a target: interfaces and routes. */
  network?(desired: TreeNode, configuration: TargetConfiguration): readonly Path[];
  /** Whether a change at a path may send flows elsewhere: NAT, routes, zones do; what NAT rules may name, perhaps. */
  redirects?(path: Path): "surely" | "perhaps" | "no";
  /** Places at which a reader hangs what it asked of others, beside what stands on the target. */
  readonly borrowed: readonly Path[];
  /** The rulebase that a document's place lies in; undefined for a place above all of them. */
  scopeAt(place: Path): string | undefined;
  /** Loads what makes policies of trees. */
  load(): Promise<PolicyReader>;
  /** Loads what makes flows of words alone. */
  loadWords(): Promise<WordReader>;
}

interface PolicyReader {
  /** What of several versions of one tree judges by itself: virtual systems, firewalls of a manager, its device groups without firewalls. */
  rulebases(versions: readonly TreeNode[], options: PolicyOptions): readonly Rulebase[];
  /** Of a target that logs sessions. */
  readonly sessionLog?: SessionLog | undefined;
}

interface WordReader {
  /**
   * The flows that words mean in one rulebase of a tree. Throws `flow-not-understood` for a word that is no name and no literal there.
   */
  flows(root: TreeNode, scope: string, question: FlowQuestion, options: PolicyOptions): FlowSet;
}

/** Where a target tells of sessions that were. */
export interface SessionLog {
  /** Of the log. */
  readonly type: string;
  /** Which records of which log tell of commits. */
  readonly commits: { readonly type: string; readonly query: string };
  /** Numbers the records of one box in the order in which it wrote them; undefined where a record has none. */
  number(record: LogRecord): bigint | undefined;
  /** `begun`: the same session is told of again when it ends. Undefined: the record is not understood. */
  read(record: LogRecord): LoggedSession | "begun" | undefined;
}

/** Sessions that a record tells of, and words of it for a person. */
export interface LoggedSession {
  /** The rulebase that judged them. */
  readonly scope: string;
  readonly session: Session;
  readonly source: string;
  readonly destination: string;
  /** `tcp/443`. */
  readonly service: string;
  readonly application: string;
  /** When it began and when it was told of, by the target's own clock (`yyyy/mm/dd hh:mm:ss`). */
  readonly began: string;
  readonly seen: string;
  /** How many sessions; at least one. */
  readonly times: number;
  /** Of all of them, both ways. */
  readonly bytes: number;
}

/** Rules that judge together, in each version of a tree. */
export interface Rulebase {
  /** As `scope:` of a document has it; of firewalls of a manager the device group that they are in. */
  readonly scope: string;
  /** Scopes of documents that say something of it: its own, and those of the groups above it. */
  readonly within: readonly string[];
  /** Firewalls of a manager that are handed the same in each version, and of which this is; undefined of all else. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  /** It is known to be the same in all versions. */
  readonly isSame: boolean;
  /** Whether it is there, by version. */
  readonly isThere: readonly boolean[];
  /** Rules in the last version, default ones among them; 0 where there are no others. */
  readonly size: number;
  /** The policy of each version; undefined where it is not there. Throws where it cannot be worked out: others can. */
  policies(): readonly (Policy | undefined)[];
  /** As `WordReader.flows`, in one version. */
  flows(version: number, question: FlowQuestion): FlowSet;
  /** Returns the flows of one version that NAT sends to the destination of a question. Undefined for targets without NAT. */
  translated?(version: number, flows: FlowSet): readonly TranslatedFlows[];
  /** The ways of one flow: an address each side, one service. Throws `flow-not-understood` for a question about more, or less. */
  ways?(version: number, question: FlowQuestion): readonly Way[];
  /**
   * What becomes of flows before its rules are asked, from the first version to the last; undefined where nothing of it differs, or nothing is known of
   * routes. `unread`: it hangs on interfaces and routes, which are not read where `isRead` is false.
   */
  landings?(isRead: boolean): Promise<LandingStage | "unread" | undefined>;
  /** How flows pass through it from one neighbour to the next, in one version; undefined where nobody follows them there. */
  transit?(version: number): Transit | undefined;
}

/** Flows, as security rules match them, that a NAT rule sends to another destination. */
export interface TranslatedFlows {
  /** Name of the NAT rule. */
  readonly rule: string;
  readonly flows: FlowSet;
}

/** What becomes of an address: it is moved by a number (0: it stays), or becomes one of these. */
export type Change = { readonly by: bigint } | { readonly ranges: readonly AddressRange[]; readonly unknowns: readonly Unknown[] };

/** What becomes of flows before rules are asked, and where they go. */
export interface Landing {
  /** The zone that rules see; undefined: they come to none. */
  readonly zone: string | undefined;
  /** Where that is not a zone: nowhere, at the firewall itself, or not known. */
  readonly ends: "nowhere" | "itself" | "unknown" | undefined;
  readonly why: string;
  readonly source: Change;
  readonly destination: Change;
  /** Undefined: the port that it was sent to. */
  readonly port: number | undefined;
}

/** Translation and routes of two versions of a rulebase, in plain values. */
export interface LandingStage {
  /** A verdict is a key of `landings`; of zones only those count that flows come from. */
  readonly policies: readonly [Policy, Policy];
  readonly landings: ReadonlyMap<Verdict, Landing>;
  /** Limits of the rulebase of which this says more than they do. */
  readonly answered: ReadonlySet<string>;
  /** What may make this wrong, a sentence each. */
  readonly doubts: readonly string[];
  /** What was edited of rules that translate, by their names, in words. */
  readonly edited: ReadonlyMap<string, string>;
  /** What each rule that translates names, by which its addresses can be called. */
  readonly objects: ReadonlyMap<string, readonly Named<AddressRange>[]>;
}

/** What hands flows on: a virtual system with its interfaces and routes, a project with its networks and routers. */
export interface Transit {
  /** Addresses of what has a name there: a server, a port, an object. */
  addressesOf(name: string): readonly string[];
  /** What of it has an address, in words; undefined for nobody. */
  ownerOf(address: string): string | undefined;
  /** What of it stands in the network that an address lies in, in words. `isNext`: the flow is for others, and handed to that address. */
  besideOf(address: string, isNext: boolean): string | undefined;
  /** Where an address lies that others lead to who are no target, in words. */
  behind?(address: string): string | undefined;
  /** The ways of one flow from where it gets it. */
  ways(flow: PassingFlow): readonly TransitWay[];
}

/** A flow, and where a part of the network gets it. */
export interface PassingFlow extends FlowAsSent {
  readonly application: readonly string[];
  /** The address that it was handed to; undefined where it begins here. */
  readonly at: string | undefined;
  /** Where somebody says by which zone it begins. */
  readonly from: readonly string[];
}

/** A way through one part of the network, and what becomes of the flow. */
export interface TransitWay extends Way {
  /** What lets it pass or stops it; undefined: the rules of the rulebase, by the zones of the way. */
  readonly checks?: readonly (readonly ReachAnswer[])[] | undefined;
  /** What else must let it pass here, and nobody reads. */
  readonly unread?: readonly string[] | undefined;
  /** As it leaves; undefined where it does not. */
  readonly after?: FlowAsSent | undefined;
  /** To whom it goes then: to an address (`unread`: what else must let it in where no other target has it); to whoever is in the network of an address, where nobody says to whom; or it has come to where it shall. */
  readonly next?:
    | { readonly address: string; readonly unread?: string | undefined }
    | { readonly networkOf: string; readonly words: string }
    | { readonly arrived: string }
    | undefined;
}

export interface PolicyOptions {
  /** File and line that declare the node at a path, where they are known. */
  readonly locate?: ((path: Path) => Where | undefined) | undefined;
  /** The target as plumbline.yaml has it, which may say how it reads its rules. */
  readonly configuration?: TargetConfiguration | undefined;
  /** What the target has now of what its configuration leaves open, where it was asked. */
  readonly lookUps?: LookUps | undefined;
  /** Applications that questions name. A rule for an application container may apply to one of them. */
  readonly applications?: readonly string[] | undefined;
}

/** Addresses that a target told of names and lists. Unknowns keep their definitions: answers of two times are not compared. */
export interface LookUps {
  /** As ISO 8601, before it was asked. */
  readonly asOf: string;
  /** By kind and definition of the unknown; what is left out is as unknown as before. */
  readonly known: ReadonlyMap<string, LookedUp>;
}

export interface LookedUp {
  readonly values: readonly AddressRange[];
  /** False: it may hold more. Undefined: nobody knows whether it does. */
  readonly isWhole: boolean | undefined;
}

/** Names and literals as a person writes them; none: any. */
export interface FlowQuestion {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly source: readonly string[];
  readonly destination: readonly string[];
  /** Names of services, or `tcp/443`, `udp/53,5353`, `icmp`. */
  readonly service: readonly string[];
  readonly application: readonly string[];
}
