import type { Draw } from "../differential/draw.js";
import { type Lists, put, standard } from "./lists.js";
import { count, type Fields, Member, Numbered, Ref, Unordered } from "./values.js";

const MOST_MEMBERS = 3;

/** Names of the volumes that a series can have. */
export const SERIES_VOLUMES = Array.from({ length: MOST_MEMBERS }, (_, at) => `disk-${at + 1}`);

/** Draws objects that `$count` and `$forEach` can write together. Their values differ only by a number, and they refer to each other by it. */
export function drawSeries(draw: Draw, lists: Lists): void {
  const length = 2 + draw.below(MOST_MEMBERS - 1);
  const isDrawn = {
    guild: draw.chance(60),
    member: draw.chance(70),
    disk: draw.chance(25),
    worker: draw.chance(35),
    lane: draw.chance(35),
  };
  const common = { guild: standard(draw), member: standard(draw), lane: standard(draw) };
  for (let at = 1; at <= length; at++) {
    const numbered = (series: string) => new Member(series, at);
    const ref = (list: string, series: string) => new Ref(list, `${series}-${at}`, "row", `${series}-#`);
    const groups: Fields = isDrawn.guild ? { security_groups: new Unordered([ref("security_groups", "guild")]) } : {};
    if (isDrawn.guild) {
      const remote = { remote_group: ref("security_groups", "guild") };
      const rule = { direction: "ingress", protocol: "tcp", port_range_min: count(22), port_range_max: count(22) };
      const fields = { ...common.guild, description: new Numbered("guild #", at), rules: new Unordered([{ ...rule, ...remote }]) };
      put(lists, "security_groups", `guild-${at}`, { "#in": numbered("guild"), ...fields });
    }
    if (isDrawn.lane) {
      const network = new Ref("networks", "net-1", "object");
      put(lists, "subnets", `lane-${at}`, { "#in": numbered("lane"), network, ...common.lane, cidr: new Numbered("10.8.#.0/24", at) });
    }
    if (isDrawn.member) {
      const network = new Ref("networks", "net-0", "object");
      const address = { subnet: new Ref("subnets", "sub-0", "object"), ip_address: new Numbered("10.7.0.5#", at) };
      put(lists, "ports", `member-${at}`, {
        "#in": numbered("member"),
        ...common.member,
        network,
        fixed_ips: new Unordered([address]),
        ...groups,
      });
    }
    if (isDrawn.disk)
      put(lists, "volumes", `disk-${at}`, { "#in": numbered("disk"), size: count(1), description: new Numbered("of worker #", at) });
    if (isDrawn.worker) {
      const row = isDrawn.member ? { port: ref("ports", "member") } : { network: new Ref("networks", "net-0", "row") };
      const volumes: Fields = isDrawn.disk ? { volumes: new Unordered([ref("volumes", "disk")]) } : {};
      const own = { image: "cirros", flavor: "m1.tiny", metadata: { number: new Numbered("#", at) }, networks: new Unordered([row]) };
      put(lists, "servers", `worker-${at}`, { "#in": numbered("worker"), ...own, ...volumes });
    }
  }
}
