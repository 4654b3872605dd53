import { afterActing, beforeActing, type Fate, isWireEffect, meetAll, sendInstead, type Wire } from "../../faults/wire-effects.js";
import type { ContrailReply } from "../http/reply.js";
import { text } from "../http/reply.js";
import type { ContrailFaultEffect } from "./fault.js";

/** A request with the effects that meet it. */
export interface Meeting extends Wire {
  readonly effects: readonly ContrailFaultEffect[];
}

/** Effects that come before the controller acts. */
export async function before(meeting: Meeting): Promise<Fate> {
  return await meetAll(meeting.effects, async (effect) =>
    effect.kind === "status" ? await sendInstead(meeting, text(effect.status, effect.text ?? "")) : await beforeActing(effect, meeting),
  );
}

/** Effects that come after the controller acted: on the reply, or in its place. */
export async function after(meeting: Meeting, reply: ContrailReply): Promise<Fate> {
  return await meetAll(meeting.effects, async (effect) =>
    isWireEffect(effect) ? await afterActing(effect, meeting, () => reply) : "goes-on",
  );
}
