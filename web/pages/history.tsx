import { useDesk } from "../data/desk.ts";
import { useNow } from "../data/hooks.ts";
import { HistoryList } from "../parts/history-list.tsx";

export function HistoryPage() {
  const { known } = useDesk();
  const now = useNow() / 1000 + known.ahead;
  return (
    <main class="narrow">
      <h1 tabIndex={-1}>History</h1>
      <HistoryList target="" now={now} changes={undefined} />
    </main>
  );
}
