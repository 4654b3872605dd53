import type { CommitView, Place } from "../../src/agent/page/view.ts";
import { codeHostOf } from "../data/code-host.ts";
import { useDesk } from "../data/page-context.ts";
import { Ago } from "./small-parts.tsx";

/** External link. The other site receives no referrer and no access to this window. */
const OUTSIDE = { target: "_blank", rel: "noopener noreferrer" } as const;

/** Shows a commit with its message and author, if known. It is a link if the code host is known. */
export function Commit({ id, facts, now }: { readonly id: string; readonly facts: CommitView | undefined; readonly now: number }) {
  const { known } = useDesk();
  const host = codeHostOf(known.meta.source);
  const short = <code title={id}>{id.slice(0, 10)}</code>;
  const { author = "", message = "", at = 0 } = facts?.id === id ? facts : {};
  return (
    <span class="commit">
      {host === undefined ? (
        short
      ) : (
        <a href={host.commit(id)} {...OUTSIDE}>
          {short}
        </a>
      )}
      {message !== "" && <span class="commit-message"> {message}</span>}
      {author !== "" && (
        <span class="dim">
          {" "}
          by {author}
          {at > 0 && (
            <>
              , <Ago at={at} now={now} suffix=" ago" />
            </>
          )}
        </span>
      )}
    </span>
  );
}

/** Shows a line of a document at a commit. It is a link if the code host is known. */
export function Line({ place, commit }: { readonly place: Place; readonly commit: string | undefined }) {
  const { known } = useDesk();
  const { source, folder = "" } = known.meta;
  const words = (
    <code>
      {place.file}:{place.line}
    </code>
  );
  const host = commit === undefined || commit === "" ? undefined : codeHostOf(source);
  if (host === undefined || commit === undefined) return words;
  return (
    <a href={host.line(commit, `${folder}/${place.file}`, place.line)} {...OUTSIDE}>
      {words}
    </a>
  );
}
