import { historyKinds } from "../../src/outcome/history.ts";
import { filterOf, type HistoryFilter, historyLink, NO_FILTER } from "../data/history-filter.ts";
import { useNow } from "../data/hooks.ts";
import { useDesk } from "../data/page-context.ts";
import { boundsOf, dayAsked, spanWords, zoneText } from "../data/time.ts";
import { HistoryList } from "../parts/history-list.tsx";

export function HistoryPage({ query }: { readonly query: URLSearchParams }) {
  const { known } = useDesk();
  const now = useNow() / 1000 + known.ahead;
  const filter = filterOf(query);
  return (
    <main class="narrow">
      <h1 tabIndex={-1}>History</h1>
      <Filters filter={filter} now={now} />
      {/* A new filter starts a new list. */}
      <HistoryList key={historyLink(filter)} filter={filter} now={now} changes={undefined} />
    </main>
  );
}

/** The address contains the filter, so that it can be shared and is kept in the browser history. */
function Filters({ filter, now }: { readonly filter: HistoryFilter; readonly now: number }) {
  const ask = (part: Partial<HistoryFilter>) => location.assign(historyLink({ ...filter, ...part }));
  const span = spanWords(filter);
  return (
    <form class="asked" role="search" aria-label="History" onSubmit={(event) => event.preventDefault()}>
      <label>
        Target
        <input value={filter.target} onChange={(event) => ask({ target: event.currentTarget.value.trim() })} />
      </label>
      <label>
        Person
        <input value={filter.person} onChange={(event) => ask({ person: event.currentTarget.value.trim() })} />
      </label>
      <label>
        Kind
        <select value={filter.kind} onChange={(event) => ask({ kind: event.currentTarget.value })}>
          <option value="">all</option>
          {historyKinds.map((kind) => (
            <option key={kind} value={kind}>
              {kind}
            </option>
          ))}
        </select>
      </label>
      <label>
        Day ({zoneText(filter.since || now)})
        <input
          type="date"
          value={dayAsked(filter)}
          onChange={(event) => ask({ since: 0, until: 0, ...boundsOf(event.currentTarget.value) })}
        />
      </label>
      {historyLink(filter) !== historyLink(NO_FILTER) && (
        <button type="button" onClick={() => location.assign(historyLink(NO_FILTER))}>
          Show all
        </button>
      )}
      {span !== "" && <p class="dim">Rows {span}</p>}
    </form>
  );
}
