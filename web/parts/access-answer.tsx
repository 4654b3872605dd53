import type { AccessDesignView, AccessView } from "../../src/agent/page/view.ts";

interface AnswerProps {
  readonly view: AccessView;
  /** Number of the selected design, from 1. */
  readonly chosen: number;
  readonly acceptsExcess: boolean;
  readonly isBusy: boolean;
  readonly choose: (number: number) => void;
  readonly acceptExcess: (accepts: boolean) => void;
  readonly propose: () => void;
}

const STATES = {
  allowed: { look: "is-in-sync", mark: "✓", word: "Already allowed" },
  conditional: { look: "is-drifted", mark: "?", word: "Depends on unknown facts" },
  designed: { look: "is-pending", mark: "+", word: "Not allowed now" },
  refused: { look: "is-refused", mark: "!", word: "Refused" },
} as const;

/** Answer to an access request, with the designs and the edit of the chosen one. */
export function Answer(props: AnswerProps) {
  const { view, chosen, isBusy, choose } = props;
  const { look, mark, word } = STATES[view.state];
  const { request, scope, now, designs, files } = view;
  return (
    <section class="access-answer" aria-label="Answer">
      <h2>
        <span class={`pill ${look}`}>
          <span aria-hidden="true" class="pill-mark">
            {mark}
          </span>
          {word}
        </span>{" "}
        <span class="access-flow">
          {end(request.from, request.fromZone)} → {end(request.to, request.toZone)} · {request.service} · {request.application}
        </span>{" "}
        <span class="dim">{[view.target, scope].filter(Boolean).join(" ")}</span>
      </h2>
      <Texts texts={view.warnings} look="is-drifted" title="Warning" />
      <Texts texts={[...view.reasons, ...view.faults]} look="is-refused" title="Refused" />
      {now.length > 0 && (
        <>
          <h3>Rules that decide now</h3>
          <pre class="reachable">{now.map((line) => line.replace(/^ {2}/, "")).join("\n")}</pre>
        </>
      )}
      <Texts texts={view.notes} look="is-note" title="Note" />
      {designs.length > 0 && (
        <fieldset class="designs" disabled={isBusy}>
          <legend>Designs, best first</legend>
          {designs.map((design, at) => (
            <Design key={design.summary} design={design} isChosen={chosen === at + 1} choose={() => choose(at + 1)} />
          ))}
        </fieldset>
      )}
      {files.map(({ file, lines }) => (
        <Patch key={file} file={file} lines={lines} />
      ))}
      {designs.length > 0 && <Proposal {...props} />}
    </section>
  );
}

function end(text: string, zone: string): string {
  return zone === "" || zone === text ? text : `${text} (${zone})`;
}

interface DesignProps {
  readonly design: AccessDesignView;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function Design({ design: { summary, isPartial, excess, notes }, isChosen, choose }: DesignProps) {
  return (
    <div class="design">
      <label>
        <input type="radio" name="design" checked={isChosen} onChange={choose} />
        <span>{summary}</span>
      </label>
      {excess.length === 0 ? (
        <p class="dim">{isPartial ? "Opens a part of the request, and nothing else" : "Opens exactly the request"}</p>
      ) : (
        <>
          <p class="excess-title">Also opens</p>
          <pre class="reachable">{excess.join("\n")}</pre>
        </>
      )}
      {notes.map((text) => (
        <p key={text} class="dim">
          {text}
        </p>
      ))}
    </div>
  );
}

function Patch({ file, lines }: AccessView["files"][number]) {
  return (
    <>
      <h3>{file}</h3>
      <pre class="patch">
        {lines.map((line, at) => (
          <span key={at} class={line.startsWith("+") ? "is-added" : line.startsWith("-") ? "is-removed" : "dim"}>
            {`${line}\n`}
          </span>
        ))}
      </pre>
    </>
  );
}

function Proposal({ view, chosen, acceptsExcess, isBusy, acceptExcess, propose }: AnswerProps) {
  const { proposed, canPropose, digest, designs } = view;
  if (proposed !== undefined) {
    const { url, branch, isNew } = proposed;
    return (
      <p class="banner is-in-sync">
        <b>{isNew ? "Proposed" : "Proposed before"}</b>{" "}
        {/^https?:\/\//.test(url) ? (
          <a href={url} rel="noreferrer">
            {url}
          </a>
        ) : (
          <code>{branch}</code>
        )}
      </p>
    );
  }
  const hasExcess = (designs[chosen - 1]?.excess.length ?? 0) > 0;
  return (
    <div class="proposal">
      {hasExcess && (
        <label>
          <input
            type="checkbox"
            checked={acceptsExcess}
            disabled={isBusy}
            onChange={(event) => acceptExcess(event.currentTarget.checked)}
          />
          <span>Accept the flows outside the request</span>
        </label>
      )}
      {!canPropose && <p class="dim">No code host is configured for the agent, so nothing can be proposed here. Use `plumbline allow`.</p>}
      <button type="button" class="primary" disabled={isBusy || digest === "" || !canPropose} onClick={propose}>
        Propose pull request
      </button>
    </div>
  );
}

interface TextsProps {
  readonly texts: readonly string[];
  readonly look: string;
  readonly title: string;
}

function Texts({ texts, look, title }: TextsProps) {
  return (
    <>
      {texts.map((text) => (
        <p key={text} class={`banner ${look}`}>
          <b>{title}</b> {text}
        </p>
      ))}
    </>
  );
}
