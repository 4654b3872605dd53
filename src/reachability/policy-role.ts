import type { Where } from "../core/errors.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import type { JudgedFirewall } from "../outcome/insight.js";
import type { ReachAnswer, Way } from "../outcome/reach.js";
import type { FlowAsSent } from "../outcome/whole-path.js";
import type { AddressRange, FlowSet, Named, Policy, ServiceRange, Unknown, Verdict } from "./flows/policy.js";
import type { Session } from "./flows/replay.js";
import type { LogRecord } from "./policy-target.js";

/** Role of kinds with rules that allow and deny traffic, used by insight (docs/insight.md). */
export interface PolicyRole {
  /** Reports whether a change at a path may change the verdict of a flow. */
  concerns(path: Path): boolean;
  /** Subtrees that contain the complete policies of a target, given its desired state. */
  subtrees(desired: TreeNode, configuration: TargetConfiguration): readonly Path[];
  /** Additional subtrees to follow a flow through a target: interfaces and routes. */
  network?(desired: TreeNode, configuration: TargetConfiguration): readonly Path[];
  /**
   * Reports whether a change at a path may change the path of flows. "surely" for NAT, routes and zones; "perhaps" for objects that NAT
   * rules may use.
   */
  redirects?(path: Path): "surely" | "perhaps" | "no";
  /** Paths at which a reader adds data from other services. */
  readonly borrowed: readonly Path[];
  /** The rulebase that a document's place lies in; undefined for a place above all of them. */
  scopeAt(place: Path): string | undefined;
  /** Loads the policy reader. */
  load(): Promise<PolicyReader>;
  /** Loads only the parser for flows. */
  loadWords(): Promise<WordReader>;
}

interface PolicyReader {
  /**
   * Independent rulebases of several versions of one tree: virtual systems, firewalls of a manager, and its device groups without
   * firewalls.
   */
  rulebases(versions: readonly TreeNode[], options: PolicyOptions): readonly Rulebase[];
  /** Returns the names that the target must define for questions about these applications, because no tree does. */
  predefinedNames?(versions: readonly TreeNode[], applications: readonly string[]): readonly string[];
  /** Undefined for targets without session logs. */
  readonly sessionLog?: SessionLog | undefined;
}

interface WordReader {
  /**
   * Parses a question into flows for one rulebase. Throws `flow-not-understood` for an argument that is neither a known name nor a literal.
   */
  flows(root: TreeNode, scope: string, question: FlowQuestion, options: PolicyOptions): FlowSet;
}

/** Session log of a target. */
export interface SessionLog {
  /** Name of the log. */
  readonly type: string;
  /** Log and query that find commits. */
  readonly commits: { readonly type: string; readonly query: string };
  /** Sequence number of a record on its device. Undefined if it has none. */
  number(record: LogRecord): bigint | undefined;
  /** Parses a record. `begun`: the session is logged again at its end. Undefined: unknown format. */
  read(record: LogRecord): LoggedSession | "begun" | undefined;
}

/** Sessions of a log record, with texts for output. */
export interface LoggedSession {
  /** The rulebase that judged them. */
  readonly scope: string;
  readonly session: Session;
  readonly source: string;
  readonly destination: string;
  /** `tcp/443`. */
  readonly service: string;
  readonly application: string;
  /** Times of the start and of the record, by the target's clock (`yyyy/mm/dd hh:mm:ss`). */
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
  /** Scopes of documents with rules for it: its own, and those of its parent groups. */
  readonly within: readonly string[];
  /** Firewalls of a manager that share this rulebase in each version. Undefined for other rulebases. */
  readonly firewalls?: readonly JudgedFirewall[] | undefined;
  /** The rulebase is known to be equal in all versions. */
  readonly isSame: boolean;
  /** Existence by version. */
  readonly isThere: readonly boolean[];
  /** Number of rules in the last version, including default rules. 0 if there are only default rules. */
  readonly size: number;
  /** Why it is not known what the firewalls receive. Then `policies` throws, and `within` may lack groups. */
  readonly failure?: string | undefined;
  /** The policy of each version. Undefined if the rulebase does not exist in it. Throws if this rulebase cannot be compiled; others may. */
  policies(): readonly (Policy | undefined)[];
  /** As `WordReader.flows`, in one version. */
  flows(version: number, question: FlowQuestion): FlowSet;
  /** Returns the flows of one version that NAT sends to the destination of a question. Undefined for targets without NAT. */
  translated?(version: number, flows: FlowSet): readonly TranslatedFlows[];
  /** Returns the zones of an address or name, according to routes. Undefined for targets without routes. */
  zonesOf?(version: number, address: string): AddressZones;
  /** Returns the results of NAT and routes for flows. Undefined if no NAT rule may send them to another destination. */
  destinationLandings?(version: number, flows: FlowSet): DestinationLandings | undefined;
  /** The ways of one flow: an address each side, one service. Throws `flow-not-understood` for a question about more, or less. */
  ways?(version: number, question: FlowQuestion): readonly Way[];
  /**
   * Changes of routing and translation between the first and the last version. Undefined if nothing changed or routes are unknown.
   * `unread`: needs interfaces and routes, which are not read if `isRead` is false.
   */
  landings?(isRead: boolean): Promise<LandingStage | "unread" | undefined>;
  /** Path of flows between neighbours in one version. Undefined if it cannot be followed there. */
  transit?(version: number): Transit | undefined;
}

/** Zones of the addresses of a name. `unknown`: reasons why there may be others, or none. */
export interface AddressZones {
  readonly zones: readonly string[];
  readonly unknown: readonly string[];
}

/** Flows, as security rules match them, that a NAT rule sends to another destination. */
export interface TranslatedFlows {
  /** Name of the NAT rule. */
  readonly rule: string;
  readonly flows: FlowSet;
}

/** Translation of an address: shifted by a number (0: unchanged), or replaced by one of these ranges. */
export type Change = { readonly by: bigint } | { readonly ranges: readonly AddressRange[]; readonly unknowns: readonly Unknown[] };

/** Routing and translation of flows before the rules apply. */
export interface Landing {
  /** Zone that the rules match. Undefined if the flow does not reach one. */
  readonly zone: string | undefined;
  /** Result without a zone: dropped, addressed to the firewall itself, or unknown. */
  readonly ends: "nowhere" | "itself" | "unknown" | undefined;
  readonly why: string;
  readonly source: Change;
  readonly destination: Change;
  /** Undefined: the port that it was sent to. */
  readonly port: number | undefined;
}

/** Translation and routes of one version, in plain values. */
export interface DestinationLandings {
  /** Names of the NAT rules that may translate the destination. */
  readonly rules: readonly string[];
  /** A verdict is a key of `landings`. The policy matches only source zones. Undefined if there are too many rules and routes. */
  readonly policy: Policy | undefined;
  readonly landings: ReadonlyMap<Verdict, Landing>;
  /** Reasons why a result may be wrong. */
  readonly unknown: readonly string[];
}

/** Translation and routes of two versions of a rulebase, in plain values. */
export interface LandingStage {
  /** A verdict is a key of `landings`. Policies match only source zones. */
  readonly policies: readonly [Policy, Policy];
  readonly landings: ReadonlyMap<Verdict, Landing>;
  /** Limits of the rulebase that this result replaces. */
  readonly answered: ReadonlySet<string>;
  /** Possible reasons for a wrong result, one sentence each. */
  readonly doubts: readonly string[];
  /** Edited translation rules by name, with a description of the edit. */
  readonly edited: ReadonlyMap<string, string>;
  /** Named addresses of each translation rule, for output. */
  readonly objects: ReadonlyMap<string, readonly Named<AddressRange>[]>;
}

/** A part of the network that forwards flows: a virtual system with interfaces and routes, or a project with networks and routers. */
export interface Transit {
  /** Addresses of a named server, port or object. */
  addressesOf(name: string): readonly string[];
  /** Name of the object with an address. Undefined if there is none. */
  ownerOf(address: string): string | undefined;
  /** Name of the object in the network of an address. `isNext`: the flow is forwarded to that address and has another destination. */
  neighbourOf(address: string, isNext: boolean): string | undefined;
  /** Location of an address that is only reachable through devices that are no targets. */
  behind?(address: string): string | undefined;
  /** The paths of a flow from its entry point. */
  ways(flow: PassingFlow): readonly TransitWay[];
}

/** A flow and its entry point in a part of the network. */
export interface PassingFlow extends FlowAsSent {
  readonly application: readonly string[];
  /** Address of the next hop that received the flow. Undefined at the start. */
  readonly at: string | undefined;
  /** Zones of the start, if given. */
  readonly from: readonly string[];
}

/** A path through one part of the network, and the flow after it. */
export interface TransitWay extends Way {
  /** Checks that allow or deny the flow. Undefined: the rules of the rulebase, by the zones of the path. */
  readonly checks?: readonly (readonly ReachAnswer[])[] | undefined;
  /** Other checks on this path that cannot be read. */
  readonly unread?: readonly string[] | undefined;
  /** The flow after translation. Undefined if it is dropped. */
  readonly after?: FlowAsSent | undefined;
  /**
   * Next hop: an address (`unread`: a check that applies if no target has the address), the network of an address if the next hop is
   * unknown, or the destination.
   */
  readonly next?:
    | { readonly address: string; readonly unread?: string | undefined }
    | { readonly networkOf: string; readonly words: string }
    | { readonly arrived: string }
    | undefined;
}

export interface PolicyOptions {
  /** Returns the file and line that declare the node at a path. */
  readonly locate?: ((path: Path) => Where | undefined) | undefined;
  /** Configuration of the target, which may change how rules are interpreted. */
  readonly configuration?: TargetConfiguration | undefined;
  /** Current values of dynamic objects, if they were requested. */
  readonly lookUps?: LookUps | undefined;
  /** Applications that questions name. A rule for an application container may apply to one of them. */
  readonly applications?: readonly string[] | undefined;
  /**
   * Applications of the target by name. A requested name that is missing here could not be read. Undefined: nothing was requested, so
   * every name is accepted.
   */
  readonly predefined?: ReadonlyMap<string, PredefinedApplication> | undefined;
}

/**
 * Addresses of names and lists, as reported by a target. Unknowns keep their definitions, so values of different times are not compared.
 */
export interface LookUps {
  /** Time of the request, ISO 8601. */
  readonly asOf: string;
  /** By kind and definition of the unknown. Missing entries stay unknown. */
  readonly known: ReadonlyMap<string, ResolvedNames>;
}

export interface ResolvedNames {
  readonly values: readonly AddressRange[];
  /** False: there may be more values. Undefined: completeness is unknown. */
  readonly isWhole: boolean | undefined;
}

/** Services on which an application is expected. */
export interface DefaultService extends ServiceRange {
  /** ICMP type `8`, or type and code `3/1`. Ranges do not distinguish them. Undefined: all of the range. */
  readonly icmpType?: string | undefined;
}

/** Definition of an application that a target provides itself. */
export type PredefinedApplication =
  | "missing"
  | {
      /** Undefined: no fixed ports, or ports in an unknown format. */
      readonly ports: readonly DefaultService[] | undefined;
      /** Names of the applications in a container. Empty for an application. */
      readonly parts: readonly string[];
    };

/** Names and literals from the user. An empty list means any. */
export interface FlowQuestion {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly source: readonly string[];
  readonly destination: readonly string[];
  /** Names of services, or `tcp/443`, `udp/53,5353`, `icmp`. */
  readonly service: readonly string[];
  readonly application: readonly string[];
  /** Users and groups, or a state such as `known-user`. */
  readonly user?: readonly string[] | undefined;
  /** An access request: a host name without an object is an FQDN, and ICMP flows have the default ICMP types of their applications. */
  readonly isRequest?: boolean | undefined;
}
