import { PlumblineError } from "../../core/errors.js";
import type { SecretValue } from "../../core/secret.js";

/** Error for settings of `agent.page` that contradict each other or do not identify a person. `why` follows "agent.page: ". */
export function peopleInvalid(why: string): PlumblineError {
  return new PlumblineError("page-people-invalid", `agent.page: ${why}.`, {
    next: "Correct tokens:, oidc: and rights: of agent.page in plumbline.yaml (docs/page.md), and start the agent again.",
  });
}

export function tokenTooShort({ label }: SecretValue, shortest: number): PlumblineError {
  return new PlumblineError("page-token-short", `The token of the page (${label}) has fewer than ${shortest} characters.`, {
    next: "Create one with `openssl rand -hex 24`, and store it in the place that agent.page or PLUMBLINE_PAGE_TOKEN names.",
  });
}
