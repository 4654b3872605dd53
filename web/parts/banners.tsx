import { useDesk } from "../data/desk.ts";
import { moment } from "../data/time.ts";

/** Messages about the fleet, above each page. */
export function Banners() {
  const { known, session, act } = useDesk();
  const { alarms, pauses } = known.meta;
  const all = pauses.find(({ target }) => target === "");
  return (
    <>
      {alarms.map((alarm) => (
        <p key={alarm} class="banner is-failed" role="alert">
          <b>Attention</b> {alarm}
        </p>
      ))}
      {all !== undefined && (
        <p class="banner is-paused">
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
