import { type Commit, goodWordsOf, type Violation } from "./checker.js";
import { OUR_ADMIN } from "./documents.js";
import type { World } from "./world.js";

/**
 * Checks the other device of a history whose target leads there for some time. Nothing is deleted there, nothing is written after a run
 * succeeded on the first device, and no output reports "in sync".
 */
export function judgeOtherDevice(world: World): Violation[] {
  const { otherDevice, moves } = world;
  if (otherDevice === undefined) return [];
  const commits = otherDevice.events.filter((event): event is Commit => event.kind === "commit" && event.admin === OUR_ADMIN);
  const isBound = (moment: number) => goodWordsOf(world).some(({ isRun, ended }) => isRun && ended < moment && !isElsewhere(world, ended));
  const good = goodWordsOf(world).filter(({ began, ended }) =>
    moves.some(({ from, until }) => began > from && ended < until && isBound(from)),
  );
  return [
    ...commits.flatMap(deletions),
    ...commits.filter(({ at }) => isBound(at)).map(({ source }) => other(`${source} wrote to another device`)),
    ...good.map(({ process }) => other(`${process} reported that all is well on another device`)),
  ];
}

function deletions({ before, after, source }: Commit): Violation[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  return gone.length === 0 ? [] : [other(`${source} deleted ${gone.join()} on another device`)];
}

function other(message: string): Violation {
  return { rule: "other device", message };
}

function isElsewhere({ moves }: World, moment: number): boolean {
  return moves.some(({ from, until }) => moment >= from && moment < until);
}
