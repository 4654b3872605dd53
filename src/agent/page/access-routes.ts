import { PlumblineError } from "../../core/errors.js";
import type { AccessQuestion } from "../access-process.js";
import type { Happening } from "../events.js";
import type { Controls } from "./controls.js";
import { jsonReply, type PageReply, refusal } from "./reply.js";
import { type Admitted, guarded, type Route } from "./routes.js";
import type { AccessTargets, AccessView } from "./view.js";

interface AccessParts {
  readonly controls: Pick<Controls, "targets" | "hasDesigns" | "answerAccess">;
  readonly emit: (happening: Happening) => Promise<void>;
}

/** Maximum number of unanswered requests. They are answered one after another. */
const MOST_OPEN = 4;
const FIELDS = { from: 200, to: 200, service: 100, application: 100, reason: 300 } as const;
/** Only firewalls distinguish applications. */
const OPTIONAL: ReadonlySet<string> = new Set(["application"]);
const BUSY = { "retry-after": "30" };

/** Routes to ask for access, and to propose the edit of an answer. */
export function accessRoutes({ controls, emit }: AccessParts): Readonly<Record<"targets" | "ask" | "propose", Route>> {
  /** Users with an unanswered request. */
  const open = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  const answer = async (question: AccessQuestion, { by }: { readonly by: string }): Promise<AccessView | PageReply> => {
    if (open.has(by)) return refusal(429, "too-often", "Your last request is not answered yet. Wait for its answer.", BUSY);
    if (open.size >= MOST_OPEN) return refusal(503, "too-many", "Other access requests are being answered. Try again in a minute.", BUSY);
    open.add(by);
    try {
      const turn = () => controls.answerAccess(question);
      const answered = last.then(turn, turn);
      last = answered;
      return await answered;
    } catch (error) {
      if (error instanceof PlumblineError && error.code === "option-invalid")
        return refusal(400, error.code, [error.message, error.next ?? ""].join(" ").trim());
      throw error;
    } finally {
      open.delete(by);
    }
  };
  return {
    targets: guarded("read", "visible", ({ person }) => {
      const designed = [...controls.targets()].filter(([, { kind }]) => controls.hasDesigns(kind)).map(([name]) => name);
      const targets = designed.filter((name) => person.access.may("request", name)).sort();
      // The answer about a path names rules of any target.
      const paths = person.access.mayEverywhere("request") && controls.targets().size > 1 && targets.length > 0;
      return jsonReply({ targets, paths } satisfies AccessTargets);
    }),
    ask: guarded("request", "target-or-everything", async (given) => {
      const question = questionOf(given, undefined);
      if ("status" in question) return question;
      const view = await answer(question, given.person);
      return "status" in view ? view : jsonReply(view);
    }),
    propose: guarded("request", "target-or-everything", async (given) => {
      const digest = text(given.body.digest);
      if (!/^[0-9a-f]{64}$/.test(digest)) return otherAnswer();
      const question = questionOf(given, digest);
      if ("status" in question) return question;
      const { person, clientRequest, target } = given;
      await emit({ type: "asked", act: "propose", target, by: person.by, subject: person.subject, address: clientRequest.client.address });
      const view = await answer(question, person);
      if ("status" in view) return view;
      return view.proposed === undefined ? otherAnswer() : jsonReply(view);
    }),
  };
}

function questionOf({ target, body, person }: Admitted<"target-or-everything">, propose: string | undefined): AccessQuestion | PageReply {
  for (const [name, most] of Object.entries(FIELDS)) {
    const value = text(body[name]).trim();
    if (value === "" && !OPTIONAL.has(name)) return refusal(400, "field-missing", `${name} is missing.`);
    if (value.length > most) return refusal(400, "field-long", `${name} must have at most ${most} characters.`);
  }
  const choose = text(body.choose) === "" ? 1 : Number(body.choose);
  if (!Number.isInteger(choose) || choose < 1 || choose > 99) return refusal(400, "body", "choose must be a number from 1 to 99.");
  const [from, to, service, application] = [body.from, body.to, body.service, body.application].map((each) => text(each).trim());
  const zone = (value: unknown) => text(value).trim().slice(0, FIELDS.from) || undefined;
  return {
    target,
    request: {
      from: from ?? "",
      to: to ?? "",
      service: service ?? "",
      application: application || "any",
      fromZone: zone(body.fromZone),
      toZone: zone(body.toZone),
    },
    reason: text(body.reason).trim(),
    requester: person.name,
    until: text(body.until) || undefined,
    choose,
    acceptExcess: body.acceptExcess === true,
    propose,
  };
}

function otherAnswer(): PageReply {
  return refusal(409, "answer-changed", "The answer is different now. Check the new answer.");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
