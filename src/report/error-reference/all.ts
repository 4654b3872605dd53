import { agentErrors } from "./agent.js";
import { cloudErrors } from "./cloud.js";
import { desiredStateErrors } from "./desired-state.js";
import { firewallErrors } from "./firewall.js";
import { runErrors } from "./run.js";
import type { ErrorTexts } from "./texts.js";

/** Meaning and next step of every error code. `docs/errors.md` is generated from it (`npm run errors`). */
export const errorReference: ErrorTexts = { ...agentErrors, ...cloudErrors, ...desiredStateErrors, ...firewallErrors, ...runErrors };
