import type { Draw } from "../differential/draw.js";
import { drawNetworks } from "./draw-networks.js";
import { drawPorts } from "./draw-ports.js";
import { drawSeries } from "./draw-series.js";
import { drawServers } from "./draw-servers.js";
import { type Lists, put, type Surroundings, standard } from "./lists.js";
import { drawRules } from "./rules.js";
import { type Fields, flag, type Project, Unordered } from "./values.js";

/** Draws a project that the services accept. Every reference leads to an object of the project or of its surroundings. */
export function drawProject(draw: Draw, around: Surroundings): Project {
  const lists: Lists = new Map();
  drawNetworks(draw, lists, around);
  drawGroups(draw, lists, around);
  drawPorts(draw, lists);
  drawServers(draw, lists, around);
  drawSeries(draw, lists);
  return lists;
}

function drawGroups(draw: Draw, lists: Lists, { addressGroups, otherProject }: Surroundings): void {
  const names = Array.from({ length: 1 + draw.below(3) }, (_, at) => `group-${at}`);
  for (const name of names) {
    const fields: Fields = { ...standard(draw) };
    const rules = drawRules(draw, names, addressGroups);
    if (rules.length > 0) fields.rules = new Unordered(rules);
    if (draw.chance(15)) fields.stateful = flag(draw.chance(60), true);
    if (draw.chance(10)) fields.shared_with = [otherProject];
    put(lists, "security_groups", name, fields);
  }
}
