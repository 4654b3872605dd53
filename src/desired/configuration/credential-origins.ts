import { PlumblineError, type Where } from "../../core/errors.js";
import { addressInTheClear, isPlaintext } from "../../core/plaintext-http.js";
import type { OriginPolicy } from "../approved.js";
import type { KindRegistry } from "../kind.js";
import type { Problems } from "../problems.js";
import type { TargetConfiguration } from "./configuration.js";
import type { ChannelSettings, NotifySettings } from "./notify.js";
import { originOf, variable } from "./target-context.js";

export interface OriginCheck {
  /** Undefined if the approved configuration lists no credentials. */
  readonly maySend: OriginPolicy | undefined;
  readonly kinds: KindRegistry;
  readonly problems: Problems;
  /** Returns the references in the login of a target, each as `env:NAME`. */
  referencesOf(target: string): ReadonlySet<string>;
  targetNamed(name: string): TargetConfiguration | undefined;
  where(target: string): Where;
}

/**
 * Reports each address that would receive the login of a target although neither the operator's variables nor the approved
 * configuration allow it. Addresses of a target without a pin are free if the approved configuration lists no credentials.
 */
export function checkOrigins(targets: Iterable<TargetConfiguration>, check: OriginCheck): void {
  const { maySend } = check;
  for (const target of targets) {
    const { name } = target;
    // The token of a referenced target is sent to this target, too.
    const logins = [name, ...(target.logInOf ?? target.refersTo ?? [])];
    const references = logins.flatMap((each) => [...check.referencesOf(each)]);
    const pins = logins.flatMap((each) => (check.targetNamed(each)?.pinnedOrigins === undefined ? [] : [each]));
    const pinnedOrigins = pins.flatMap((each) => check.targetNamed(each)?.pinnedOrigins ?? []);
    for (const address of addressesOf(target, check.kinds)) {
      const origin = originOf(address);
      if (origin === undefined || pinnedOrigins.includes(origin)) continue;
      if (maySend === undefined) {
        if (pins[0] !== undefined) check.problems.error(notPinned(origin, pins[0], check.where(name)));
        continue;
      }
      const refused = (references.length === 0 ? [undefined] : references).filter((reference) => !maySend(reference, origin));
      if (refused.length > 0) check.problems.error(originNotApproved(origin, refused[0], check.where(name)));
    }
  }
}

function notPinned(origin: string, target: string, where: Where): PlumblineError {
  const name = variable(target, "PEERS");
  return new PlumblineError("origin-not-pinned", `The login of ${target} must not be sent to ${origin}: its address is pinned.`, {
    where,
    next: `Add the address to ${name}, or delete it from plumbline.yaml.`,
  });
}

/** Reports each address that would receive a login unencrypted without `plaintext: true` (docs/security.md). */
export function checkEncryption(
  targets: Iterable<TargetConfiguration>,
  { kinds, problems, where }: Pick<OriginCheck, "kinds" | "problems" | "where">,
): void {
  for (const target of targets) {
    const address = target.tls?.plaintext === true ? undefined : addressesOf(target, kinds).find(isPlaintext);
    if (address !== undefined)
      problems.error(addressInTheClear(new URL(address).origin, "tls: { plaintext: true } at the target", where(target.name)));
  }
}

/** Checks the same for the credentials of notification channels: a token, or the address itself if it contains a reference. */
export function checkChannelEncryption(channels: NotifySettings, problems: Problems, where: (channel: string) => Where): void {
  for (const [name, channel] of Object.entries(channels)) {
    const address = channel.plaintext === true ? undefined : secretAddressOf(channel);
    if (address !== undefined && isPlaintext(address))
      problems.error(addressInTheClear(new URL(address).origin, "plaintext: true at the channel", where(name)));
  }
}

function secretAddressOf(channel: ChannelSettings): string | undefined {
  if (channel.kind === "commit-status") return channel.api;
  if (channel.kind === "webhook" && channel.body !== undefined && channel.secret !== undefined)
    return [channel.overUrl, channel.url].find((address) => address !== undefined && isPlaintext(address)) ?? channel.url;
  return "url" in channel && channel.url.includes("${") ? channel.url : undefined;
}

function addressesOf(target: TargetConfiguration, kinds: KindRegistry): readonly string[] {
  const own = kinds.get(target.kind)?.settings.addresses?.(target);
  return own ?? [...(target.url === undefined ? [] : [target.url]), ...(target.peers ?? [])];
}

/** Returns the error for a credential that would be sent to an origin that the approved configuration does not list. */
export function originNotApproved(origin: string, reference: string | undefined, where: Where): PlumblineError {
  const what = reference === undefined ? "No credential" : `\${${reference}}`;
  return new PlumblineError("origin-not-approved", `${what} may not be sent to ${origin}: the approved configuration does not list it.`, {
    where,
    next: "Add the address to credentials: of plumbline.yaml in a separate commit, and merge that first.",
  });
}
