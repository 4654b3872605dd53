import type { TargetView } from "../../src/agent/page/view.ts";
import { Line } from "./commit.tsx";
import { Ago } from "./small-parts.tsx";

/** Shows the number of assertions that hold, and each of the others. */
export function Assertions({ standing, now }: { readonly standing: NonNullable<TargetView["assertions"]>; readonly now: number }) {
  const { holding, others, more, judged, commit } = standing;
  return (
    <section aria-labelledby="assertions" class="above">
      <h2 id="assertions">
        Assertions <span class="count">{holding + others.length + more}</span>
      </h2>
      <p class="dim">
        {holding} {holding === 1 ? "holds" : "hold"}, judged <Ago at={judged} now={now} suffix=" ago" />
      </p>
      {others.map(({ name, state, isSettled, words, source }) => (
        <p key={name + words} class={`banner is-said ${isSettled ? "is-note" : state === "unknown" ? "is-drifted" : "is-failed"}`}>
          <b>{name}</b> {words} {source !== undefined && <Line place={source} commit={commit} />}
        </p>
      ))}
      {more > 0 && <p class="dim">And {more} more: `plumbline drift` names them.</p>}
    </section>
  );
}
