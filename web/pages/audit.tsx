import { useEffect, useState } from "preact/hooks";
import type { AuditView } from "../../src/agent/page/view.ts";
import { findingText } from "../../src/outcome/audit-finding.ts";
import { getAudit } from "../data/api.ts";
import { useNow } from "../data/hooks.ts";
import { useDesk } from "../data/page-context.ts";
import { plural } from "../data/state-labels.ts";
import { AuditPicture } from "../parts/audit-picture.tsx";
import { Ago, Empty } from "../parts/small-parts.tsx";

/** Maximum number of findings in the picture. The command prints all of them. */
const MOST = 400;

export function AuditPage() {
  const { known } = useDesk();
  const now = useNow() / 1000 + known.ahead;
  const [view, setView] = useState<AuditView>();
  const [fault, setFault] = useState("");
  useEffect(() => {
    getAudit().then(setView, (error: Error) => setFault(error.message));
  }, []);
  return (
    <main>
      <div class="headline">
        <h1 tabIndex={-1}>Audit</h1>
        <span class="dim">
          networks of the cloud against the controller
          {view !== undefined && (
            <>
              {" "}
              · read <Ago at={view.at} now={now} suffix=" ago" />
            </>
          )}
        </span>
      </div>
      {fault !== "" && <Empty title="No audit" text={fault} />}
      {view === undefined && fault === "" && <p class="dim">Reading both services …</p>}
      {view?.results.map((result) => (
        <Result key={result.target} result={result} />
      ))}
    </main>
  );
}

function Result({ result: { target, audit, error } }: { readonly result: AuditView["results"][number] }) {
  if (audit === undefined) {
    return (
      <p class="banner is-failed">
        <b>{target}</b> {error?.message} {error?.next}
      </p>
    );
  }
  const findings = audit.findings.slice(0, MOST);
  const networks = new Set(audit.findings.map(({ network }) => network)).size;
  const agreeing = Math.max(0, audit.networks - networks);
  return (
    <section aria-label={`${audit.networkService} and ${audit.controller}`}>
      <p class="audit-sum">
        <b>{audit.findings.length === 0 ? "They agree" : plural(audit.findings.length, "finding")}</b>{" "}
        <span class="dim">
          in {plural(audit.networks, "network")} and {plural(audit.subnets, "subnet")}
          {audit.findings.length > 0 && ` · ${agreeing.toLocaleString("en")} agree and are not shown`}
          {audit.outside > 0 && ` · ${audit.outside} of other projects not compared`}
        </span>
      </p>
      {findings.length > 0 && (
        <>
          <AuditPicture findings={findings} networkService={audit.networkService} controller={audit.controller} />
          <h2>In words</h2>
          <ul class="findings">
            {findings.map((finding) => (
              <li key={`${finding.kind} ${finding.id} ${finding.field ?? ""}`}>
                <span class="kind-word is-drifted">{finding.kind}</span>
                <span>
                  <b>{finding.network}</b> {finding.subnet !== undefined && `subnet ${finding.subnet} `}
                  {findingText(
                    { subnet: undefined, field: undefined, networkService: undefined, controller: undefined, ...finding },
                    audit,
                  )}
                </span>
              </li>
            ))}
          </ul>
          {audit.findings.length > MOST && (
            <p class="dim">{plural(audit.findings.length - MOST, "more finding")}: `plumbline audit` prints them all.</p>
          )}
        </>
      )}
    </section>
  );
}
