import type { AccessDesignView, AccessHopView, AccessView } from "../../src/agent/page/view.ts";

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
  const { designs, hops, files } = view;
  return (
    <section class="access-answer" aria-label="Answer">
      <h2>
        <State state={view.state} /> <Flow {...view} />
      </h2>
      <Texts texts={view.warnings} look="is-drifted" title="Warning" />
      <Texts texts={[...view.reasons, ...view.faults]} look="is-refused" title="Refused" />
      <Rules now={view.now} />
      {hops.map((hop) => (
        <Hop key={`${hop.target} ${hop.scope} ${hop.request.fromZone}`} hop={hop} />
      ))}
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
      {view.state === "designed" && <Proposal {...props} />}
    </section>
  );
}

/** Answer of one target on the path of the flow. */
function Hop({ hop }: { readonly hop: AccessHopView }) {
  const [used, ...others] = hop.designs;
  return (
    <section class="access-hop" aria-label={hop.target}>
      <h3>
        <State state={hop.state} /> <Flow {...hop} />
      </h3>
      <Texts texts={hop.reasons} look="is-refused" title="Refused" />
      <Rules now={hop.now} />
      {used !== undefined && (
        <div class="design">
          <p class="design-summary">{used.summary}</p>
          <Effect design={used} />
        </div>
      )}
      {others.length > 0 && <p class="dim">Other designs: {others.map(({ summary }) => summary).join("; ")}</p>}
      <Texts texts={hop.notes} look="is-note" title="Note" />
    </section>
  );
}

function State({ state }: Pick<AccessView, "state">) {
  const { look, mark, word } = STATES[state];
  return (
    <span class={`pill ${look}`}>
      <span aria-hidden="true" class="pill-mark">
        {mark}
      </span>
      {word}
    </span>
  );
}

function Flow({ request, target, scope }: Pick<AccessView, "request" | "target" | "scope">) {
  return (
    <>
      <span class="access-flow">
        {end(request.from, request.fromZone)} → {end(request.to, request.toZone)} · {request.service} · {request.application}
      </span>{" "}
      <span class="dim">{[target, scope].filter(Boolean).join(" ")}</span>
    </>
  );
}

function Rules({ now }: Pick<AccessView, "now">) {
  if (now.length === 0) return null;
  return (
    <>
      <h3>Rules that decide now</h3>
      <pre class="reachable">{now.map((line) => line.replace(/^ {2}/, "")).join("\n")}</pre>
    </>
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

function Design({ design, isChosen, choose }: DesignProps) {
  return (
    <div class="design">
      <label>
        <input type="radio" name="design" checked={isChosen} onChange={choose} />
        <span>{design.summary}</span>
      </label>
      <Effect design={design} />
    </div>
  );
}

/** Flows that a design opens, and its notes. */
function Effect({ design: { isPartial, excess, notes } }: Pick<DesignProps, "design">) {
  return (
    <>
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
    </>
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
  const { proposed, canPropose, digest, designs, hops } = view;
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
  const used = hops.length > 0 ? hops.flatMap((hop) => hop.designs.slice(0, 1)) : designs.slice(chosen - 1, chosen);
  const hasExcess = used.some(({ excess }) => excess.length > 0);
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
