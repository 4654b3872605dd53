import type { TargetView } from "../../src/agent/page/view.ts";
import { Ago } from "./small-parts.tsx";

/** Shows the state of each level of a manager and its firewalls. */
export function Levels({ seen, all, now }: NonNullable<TargetView["levels"]> & { readonly now: number }) {
  return (
    <section aria-labelledby="levels" class="above">
      <h2 id="levels">Levels</h2>
      <dl class="facts">
        {all.map(({ name, state, words }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={state === "not asked" ? "dim" : undefined}>{state === "equal" ? words : <b>{words}</b>}</dd>
          </div>
        ))}
        <div>
          <dt>seen</dt>
          <dd>
            <Ago at={seen} now={now} suffix=" ago" />
          </dd>
        </div>
      </dl>
    </section>
  );
}
