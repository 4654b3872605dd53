import { dayOf } from "../core/day.js";
import { literalDefault, portsText, protocolWithPorts } from "../core/service-range.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import type { DesiredTarget } from "../desired/model.js";
import type { RecordedApplication, RecordedApplications } from "../desired/read-applications.js";
import { declaredAt } from "./declared-at.js";
import type { DefaultService, PolicyOptions, PolicyRole, PredefinedApplication } from "./policy-role.js";
import type { PolicyTarget } from "./policy-target.js";

type Reader = Awaited<ReturnType<PolicyRole["load"]>>;

export interface ApplicationSources {
  /** Without it, only the documents define applications. */
  readonly target?: Pick<PolicyTarget, "resolver"> | undefined;
  readonly desired?: Pick<DesiredTarget, "applications" | "sources"> | undefined;
}

export interface PolicySources extends ApplicationSources {
  readonly desired?: DesiredTarget | undefined;
  readonly configuration: TargetConfiguration;
}

/**
 * Returns the options for the rules of one target: where they are declared, and the definitions of applications. `applications` are those
 * that questions name.
 */
export async function policyOptions(
  reader: Reader,
  trees: readonly TreeNode[],
  applications: readonly string[],
  { target, desired, configuration }: PolicySources,
): Promise<PolicyOptions> {
  const predefined = await predefinedFor(reader, trees, applications, { target, desired });
  const locate = desired === undefined ? undefined : (path: Path) => declaredAt(desired, path);
  return { configuration, locate, applications, predefined };
}

/**
 * Returns the definitions of applications that no tree declares: those of rules whose ports or parts matter, and those of questions. The
 * target has precedence over the documents. A name that is in neither is not known. Undefined if nothing could define a name: every name
 * is then accepted.
 */
async function predefinedFor(
  reader: Reader,
  trees: readonly TreeNode[],
  wanted: readonly string[],
  { target, desired }: ApplicationSources,
): Promise<PolicyOptions["predefined"]> {
  const names = reader.predefinedNames?.(trees, wanted) ?? [];
  const recorded = recordedIn(desired);
  if (names.length === 0 || (target?.resolver === undefined && recorded.size === 0)) return undefined;
  const read = (await target?.resolver?.applications(names)) ?? [];
  return new Map([...[...recorded].map(([name, { application }]) => [name, application] as const), ...read]);
}

/** Returns a warning for each application whose definition in the documents differs from the target's. */
export async function outdatedApplications({ target, desired }: ApplicationSources): Promise<string[]> {
  const recorded = recordedIn(desired);
  if (recorded.size === 0 || target?.resolver === undefined) return [];
  const read = await target.resolver.applications([...recorded.keys()]);
  return [...recorded].flatMap(([name, { application, where }]) => {
    const now = read.get(name);
    if (now === undefined || definition(now) === definition(application)) return [];
    return [`Application ${name} is ${textOf(now)} on the device, and ${textOf(application)} in ${where}. Import it again.`];
  });
}

/** Reads the definitions that `applications:` of a document should contain: those of the applications that rules use. */
export async function recordApplications(
  reader: Reader,
  tree: TreeNode,
  target: Pick<PolicyTarget, "resolver" | "status">,
  now: Date,
): Promise<Omit<RecordedApplications, "node"> | undefined> {
  const names = reader.predefinedNames?.([tree], []) ?? [];
  const read = names.length === 0 ? undefined : await target.resolver?.applications(names);
  const found = [...(read ?? [])].flatMap(([name, application]): [string, RecordedApplication][] =>
    application === "missing" ? [] : [[name, { ports: application.ports && portTexts(application.ports), contains: application.parts }]],
  );
  if (found.length === 0) return undefined;
  const content = (await target.status()).get("app-version") ?? "unknown";
  return { content, read: dayOf(now), known: new Map(found.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function recordedIn(desired: ApplicationSources["desired"]): Map<string, { application: PredefinedApplication; where: string }> {
  const { applications = [], sources } = desired ?? {};
  return new Map(
    applications.flatMap(({ known, content, read, origin }) =>
      [...known].map(([name, application]) => {
        const file = sources?.locate(origin)?.file ?? "the documents";
        return [name, { application: recordedApplication(application), where: `${file} (content ${content}, read on ${read})` }] as const;
      }),
    ),
  );
}

function recordedApplication({ ports, contains }: RecordedApplication): PredefinedApplication {
  return { ports: ports?.flatMap((text) => literalDefault(text) ?? []), parts: contains };
}

const LAST_PORT = 65_535;
const ICMP6 = 58;

/** Returns default ports in the syntax of `applications:`: `tcp/80,443`, `udp/dynamic`, `icmp/8`, or a protocol number. */
function portTexts(ports: readonly DefaultService[]): string[] {
  return [...new Set(ports.map(({ protocol }) => protocol))].map((protocol) => {
    const own = ports.filter((range) => range.protocol === protocol);
    const icmpType = own[0]?.icmpType;
    if (icmpType !== undefined) return `${protocol === ICMP6 ? "icmp6" : "icmp"}/${icmpType}`;
    const name = protocolWithPorts(protocol);
    if (name === undefined) return `${protocol}`;
    if (own.some(({ first, last }) => first === 0 && last === LAST_PORT)) return `${name}/dynamic`;
    return `${name}/${portsText(own)}`;
  });
}

/** Equal for equal definitions. */
const definition = (application: PredefinedApplication): string =>
  application === "missing"
    ? application
    : JSON.stringify([application.ports && portTexts(application.ports).sort(), [...application.parts].sort()]);

function textOf(application: PredefinedApplication): string {
  if (application === "missing") return "missing";
  if (application.parts.length > 0) return `a container of ${application.parts.join(", ")}`;
  return application.ports === undefined ? "without fixed ports" : portTexts(application.ports).join(" ");
}
