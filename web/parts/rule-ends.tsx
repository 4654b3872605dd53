import type { TargetView } from "../../src/agent/page/view.ts";

/** Lists the rules and members whose end date has passed or is near. */
export function RuleEnds({ name, first, count }: NonNullable<TargetView["ends"]> & { readonly name: string }) {
  return (
    <section aria-labelledby="ends" class="above">
      <h2 id="ends">
        End dates <span class="count">{count}</span>
      </h2>
      <ul>
        {first.map(({ text, until, isOver }) => (
          <li key={text}>
            {text}: {isOver ? "ended, last day" : "ends, last day"} {until}
          </li>
        ))}
        {count > first.length && <li>and {count - first.length} more</li>}
      </ul>
      <p class="dim">
        To propose the removal of ended rules: <code>plumbline lint {name} --fix --propose</code>
      </p>
    </section>
  );
}
