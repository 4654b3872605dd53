import type { Violation } from "./checker.js";
import { OUR_ADMIN } from "./documents.js";
import type { World } from "./world.js";

/** Checks the commit requests of each process: none is repeated without need, and no failure is reported that the device did not have. */
export function judgeCommits(world: World): Violation[] {
  return [...sentAgain(world), ...falselyFailed(world)];
}

/** A process sends no second commit while the job of its first one runs. */
function sentAgain({ firewall }: World): Violation[] {
  const found: Violation[] = [];
  const running = new Set<string>();
  for (const event of firewall.events) {
    if (event.kind === "restart" || event.admin !== OUR_ADMIN || event.isLate) continue;
    const { kind, source } = event;
    if (kind === "commit" || kind === "commit-failed") running.delete(source);
    if (kind !== "commit-began") continue;
    if (running.has(source)) found.push({ rule: "nothing twice", message: `${source} sent its commit again while the first one ran` });
    running.add(source);
  }
  return found;
}

function falselyFailed({ firewall, ended, said }: World): Violation[] {
  const byHand = ended.flatMap(({ process, began, ended: at, error }) => (error === "commit-failed" ? [{ process, began, at }] : []));
  const byAgent = said.flatMap(({ what, began = 0, at, message }) =>
    what === "pass-ended" && message.includes("commit-failed") ? [{ process: "agent", began, at }] : [],
  );
  return [...byHand, ...byAgent].flatMap(({ process, began, at }): Violation[] => {
    const isTrue = firewall.events.some(
      (event) => event.kind === "commit-failed" && event.source.startsWith(process) && event.at >= began && event.at <= at,
    );
    return isTrue ? [] : [{ rule: "untrue", message: `${process} said that a commit failed, and no commit of it failed` }];
  });
}
