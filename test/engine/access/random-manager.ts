import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { devices, entry, manager, members, rule, rules } from "./managed-firewalls.js";

export const SERIALS = ["a", "b", "c"] as const;

const pick = <Item>(random: () => number, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const some = (random: () => number, items: readonly string[]) => [...new Set([pick(random, items), pick(random, items)])];

interface RandomManager {
  readonly tree: TreeNode;
  /** Rules of each firewall itself. */
  readonly locals: Readonly<Record<(typeof SERIALS)[number], readonly TreeNode[]>>;
}

/**
 * Rules in all lists of the groups, of few values.
 *
 * @param local Chance that a firewall has local rules, which were not read in half of these cases. With it, rules have log settings.
 */
export function randomManager(random: () => number, local = 0): RandomManager {
  const lists = () => ({
    ...(random() < 0.6 ? { from: ["inside"], to: ["outside"] } : {}),
    source: random() < 0.3 ? ["any"] : some(random, ["10.1.0.5", "10.1.0.6", "hosts"]),
    destination: random() < 0.3 ? ["any"] : some(random, ["10.2.0.9", "10.2.0.8"]),
    application: random() < 0.4 ? ["any"] : ["ssl"],
    service: [pick(random, ["any", "application-default", "tls"])],
  });
  let count = 0;
  const target = () => (random() < 0.15 ? `<target>${devices([pick(random, SERIALS)])}</target>` : "");
  const log = () => (local > 0 && random() < 0.3 ? "<log-setting>siem</log-setting>" : "");
  const one = () => rule(`r${count++}`, random() < 0.7 ? "allow" : "deny", lists(), target() + log());
  const list = (level: string, chance: number) =>
    random() < chance ? rules(level, ...Array.from({ length: 1 + Math.floor(random() * 3) }, one)) : "";
  const tls = `<service>${entry("tls", "<protocol><tcp><port>443</port></tcp></protocol>")}</service>`;
  const objects = `<address>${entry("h5", "<ip-netmask>10.1.0.5</ip-netmask>")}</address><address-group>${entry("hosts", members("static", ["h5"]))}</address-group>`;
  // A rule for all flows replaces pre-rules, if no local rule decides before it.
  const rest = local > 0 && random() < 0.5 ? rules("post", rule("rest", random() < 0.7 ? "allow" : "deny")) : undefined;
  const groups = {
    shared: tls + objects + list("pre", 0.3) + (rest ?? list("post", 0.3)),
    all: list("pre", local > 0 ? 0.7 : 0.2) + list("post", local > 0 ? 0.6 : 0.3),
    branch: list("pre", 0.8) + list("post", 0.6),
    plants: list("pre", 0.5),
  };
  const own = (name: string) => (random() < local ? rule(`local ${name}`, random() < 0.5 ? "allow" : "deny", lists(), log()) : "");
  const texts = SERIALS.map((name) => own(name));
  const read = texts.map((text) => {
    const isUnread = local > 0 && text !== "" && random() < 0.5;
    return isUnread ? "unread" : `<rulebase><security><rules>${text}</rules></security></rulebase>`;
  });
  const tree = manager(groups, local === 0 ? {} : Object.fromEntries(SERIALS.map((name, at) => [name, read[at] ?? ""])));
  const [a = [], b = [], c = []] = texts.map((text) => parseXml(`<rules>${text}</rules>`).children);
  return { tree, locals: { a, b, c } };
}
