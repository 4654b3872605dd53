import type { RolloutView } from "../../src/agent/page/view.ts";
import { useDesk } from "../data/page-context.ts";
import { targetLink } from "../data/route.ts";
import { plural } from "../data/state-labels.ts";
import { moment } from "../data/time.ts";

/** Messages about the fleet, above each page. */
export function Banners() {
  const { known, session, act } = useDesk();
  const { alarms, pauses, rollout } = known.meta;
  const all = pauses.find(({ target }) => target === "");
  return (
    <>
      {alarms.map((alarm) => (
        <p key={alarm} class="banner is-failed" role="alert">
          <b>Attention</b> {alarm}
        </p>
      ))}
      {rollout !== undefined && <Rollout {...rollout} />}
      {all !== undefined && (
        <p class="banner is-paused" role="status">
          <b>Every target is paused</b> by {all.by} {all.until === 0 ? "until it is resumed" : `until ${moment(all.until)}`}: {all.reason}
          {session.may.includes("pause") && (
            <button type="button" onClick={() => void act("resume", { all: true })}>
              Resume all
            </button>
          )}
        </p>
      )}
    </>
  );
}

/** Shows the wave of a roll-out, and the targets that block it. */
function Rollout({ commit, wave, of, isStopped, failed, open, left }: RolloutView) {
  const { session, act, isStatic } = useDesk();
  const named = isStopped ? failed : open;
  return (
    <div class={`banner ${isStopped ? "is-failed" : "is-note"}`} role="status">
      <b>{isStopped ? "Roll-out stopped" : "Roll-out"}</b> of commit <code>{commit.slice(0, 12)}</code>: wave {wave} of {of},{" "}
      {plural(left, "target")} in later waves. {named.length > 0 && (isStopped ? "Failed: " : "In progress: ")}
      {named.slice(0, SHOWN).map((name, index) => (
        <span key={name}>
          {index > 0 && ", "}
          <a href={targetLink(name)}>{name}</a>
        </span>
      ))}
      {named.length > SHOWN && ` and ${named.length - SHOWN} more`}
      {isStopped && ". The roll-out continues after they succeed."}
      {isStopped && failed.length > 0 && session.may.includes("reconcile") && !isStatic && (
        <button type="button" onClick={() => void Promise.all(failed.map((target) => act("reconcile", { target })))}>
          Retry
        </button>
      )}
    </div>
  );
}

/** Number of targets that are named. */
const SHOWN = 5;
