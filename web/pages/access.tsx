import { useEffect, useState } from "preact/hooks";
import type { AccessTargets, AccessView } from "../../src/agent/page/view.ts";
import { getAccessTargets, post, Refused } from "../data/api.ts";
import { useDesk } from "../data/page-context.ts";
import { Answer } from "../parts/access-answer.tsx";
import { Empty } from "../parts/small-parts.tsx";

type Fields = Readonly<Record<string, string>>;

/** An answered request, with the values of its form. */
interface Asked {
  readonly fields: Fields;
  readonly view: AccessView;
}

/** Form for access requests: the answer and the designed edit first, then the proposal. */
export function AccessPage({ query }: { readonly query: URLSearchParams }) {
  const { session, open, say } = useDesk();
  const [may, setMay] = useState<AccessTargets>();
  const [asked, setAsked] = useState<Asked>();
  // Inputs show the new choice at once. The view still has the former one until its answer comes.
  const [chosen, setChosen] = useState(1);
  const [acceptsExcess, setAcceptsExcess] = useState(false);
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState<"" | "access" | "propose">("");
  useEffect(() => {
    setMay(undefined);
    getAccessTargets().then(
      (found) => setMay(found),
      (error: Error) => {
        setMay({ targets: [], paths: false });
        setWrong(error.message);
      },
    );
    // A sign-in changes the roles.
  }, [session.name]);

  const send = async (name: "access" | "propose", fields: Fields, more: Readonly<Record<string, unknown>>): Promise<void> => {
    setBusy(name);
    setWrong("");
    setChosen(Number(more.choose));
    setAcceptsExcess(more.acceptExcess === true);
    const { target = "", ...others } = fields;
    const subject = target === "" ? { all: true } : { target };
    try {
      setAsked({ fields, view: await post<AccessView>(name, { ...others, ...subject, ...more }, session.csrf) });
      if (name === "propose") say("The pull request is open.");
    } catch (error) {
      setWrong((error as Error).message);
      if (name === "access") setAsked(undefined);
      if (error instanceof Refused && error.status === 401) open({ kind: "sign-in" });
    } finally {
      setBusy("");
    }
  };
  const choice = { choose: String(chosen), acceptExcess: acceptsExcess };
  return (
    <main class="narrow access">
      <h1 tabIndex={-1}>Access request</h1>
      <p class="dim">Ask whether a flow is allowed. If it is not, the answer is the smallest edit of the documents that allows it.</p>
      {session.name === "" ? (
        <p class="banner is-note">
          Access requests need a sign-in.
          <button type="button" class="primary" onClick={() => open({ kind: "sign-in" })}>
            Sign in
          </button>
        </p>
      ) : may === undefined ? (
        <p class="dim">Loading …</p>
      ) : may.targets.length === 0 ? (
        <Empty title="No target" text="Access requests need the role request on a target with rules." />
      ) : (
        <Form
          may={may}
          target={query.get("target") ?? ""}
          isBusy={busy !== ""}
          submit={(fields) => void send("access", fields, { choose: "1" })}
          changed={() => setAsked(undefined)}
        />
      )}
      <p class="wrong" role="alert">
        {wrong}
      </p>
      <p class="dim" role="status">
        {busy === "access" ? "The rules are read and the flow is calculated. This can take some seconds." : ""}
        {busy === "propose" ? "The pull request is being opened." : ""}
      </p>
      {asked !== undefined && (
        <Answer
          view={asked.view}
          chosen={chosen}
          acceptsExcess={acceptsExcess}
          isBusy={busy !== ""}
          choose={(number) => void send("access", asked.fields, { choose: String(number) })}
          acceptExcess={(accepts) => void send("access", asked.fields, { ...choice, acceptExcess: accepts })}
          propose={() => void send("propose", asked.fields, { ...choice, digest: asked.view.digest })}
        />
      )}
    </main>
  );
}

interface FormProps {
  readonly may: AccessTargets;
  readonly target: string;
  readonly isBusy: boolean;
  readonly submit: (fields: Fields) => void;
  /** The shown answer belongs to other values. */
  readonly changed: () => void;
}

function Form({ may: { targets, paths }, target, isBusy, submit, changed }: FormProps) {
  const today = new Date().toISOString().slice(0, 10);
  return (
    <form
      class="access-form"
      onInput={changed}
      onSubmit={(event) => {
        event.preventDefault();
        const data = [...new FormData(event.currentTarget as HTMLFormElement)];
        submit(Object.fromEntries(data.map(([name, value]) => [name, String(value)])));
      }}
    >
      <label>
        Target
        <select name="target">
          {paths && <option value="">All on the path of the flow</option>}
          {targets.map((name) => (
            <option key={name} value={name} selected={name === target}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Field name="from" label="From" placeholder="address, object, server, group or zone" />
      <Field name="to" label="To" placeholder="address, object, server, group or zone" />
      <Field name="service" label="Service" placeholder="tcp/5432" most={100} />
      <Field name="application" label="Application" placeholder="postgres" most={100} isOptional />
      <Field name="reason" label="Reason" placeholder="CHG-4711" most={300} />
      <label>
        Until <span class="dim">(optional)</span>
        <input name="until" type="date" min={today} />
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        Check
      </button>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
  readonly most?: number;
  readonly isOptional?: boolean;
}

function Field({ name, label, placeholder, most = 200, isOptional = false }: FieldProps) {
  return (
    <label>
      {label} {isOptional && <span class="dim">(for firewalls)</span>}
      <input
        name={name}
        required={!isOptional}
        maxLength={most}
        placeholder={placeholder}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
    </label>
  );
}
