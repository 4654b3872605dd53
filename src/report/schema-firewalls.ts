import { LEVEL_NAMES, LEVEL_STATES } from "../outcome/levels.js";
import { count, list, object, positive, text } from "./schema-parts.js";

/** Schema of the five levels of a manager. */
export const levels = list(
  object({
    level: { type: "integer", minimum: 1, maximum: 5 },
    name: { enum: LEVEL_NAMES },
    state: { enum: LEVEL_STATES },
    words: text,
  }),
);

/** Schema of the firewalls of a manager. */
export const firewalls = object(
  {
    watched: { type: "boolean", description: "firewalls: watch or verify: the target is in sync when they are." },
    rows: list(
      object(
        {
          serial: text,
          hostname: text,
          vsys: text,
          by: text,
          state: { enum: ["in sync", "out of sync", "unknown"] },
          connected: { type: "boolean" },
          away: object({ since: text, tooLong: { type: "boolean", description: "For longer than offline: lets it." } }, ["tooLong"]),
          ha: object({ state: text, peer: text }),
          version: text,
          bears: text,
          lastPush: object({ result: text, at: text }, ["result"]),
          lacksOnlyOf: {
            ...list(text),
            description:
              "Administrators whose changes are the only difference, because pushes omit them. Empty: the firewall has all changes, whatever its manager reports.",
          },
          handed: object(
            {
              state: {
                enum: ["equal", "differs", "unknown"],
                description: "Configuration that the firewall reports, compared with its manager.",
              },
              differences: list(
                object({ what: { enum: ["missing", "extra", "differs", "out of place"] }, xpath: text, wanted: text, found: text }, [
                  "what",
                  "xpath",
                ]),
              ),
              more: count,
              why: text,
            },
            ["state", "differences", "more"],
          ),
        },
        ["serial", "by", "state", "connected"],
      ),
    ),
    inTheWay: list(
      object(
        { serial: text, hostname: text, kind: { enum: ["name", "lock", "override", "uncommitted", "unknown"] }, xpath: text, words: text },
        ["serial", "kind", "xpath", "words"],
      ),
    ),
    failure: text,
  },
  ["watched", "rows"],
);

/** Schema of the results of a push. */
export const pushed = object(
  {
    serial: text,
    wave: positive,
    job: text,
    result: { enum: ["ok", "failed", "not connected", "missing", "unknown", "not pushed"] },
    since: { type: "string", description: "When it came to this, by our clock." },
    isBack: {
      type: "boolean",
      description: "It had the commit that was rolled back: the result is of the push that restores the former state.",
    },
    lines: list(text),
  },
  ["serial", "wave", "job", "result", "lines"],
);
