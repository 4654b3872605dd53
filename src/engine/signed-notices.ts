import type { PageRole, RightSettings } from "../desired/configuration/page-settings.js";
import type { Approval, Resume } from "./pause.js";
import { accessOf } from "./rights.js";
import { approvalText, resumeText } from "./signed-notice.js";
import { type AllowedSigners, signerOf } from "./ssh-signature.js";

export interface SignedNoticesOptions {
  /** The owner of the desired state, and the rights that count. Undefined as long as an agent has no commit. */
  readonly settings: () => { readonly owner: string; readonly rights: readonly RightSettings[] } | undefined;
  readonly allowedSigners: () => Promise<AllowedSigners | undefined>;
}

/** Verifies notices that people signed with SSH keys, against `signers:` of `agent.page.rights`. */
export class SignedNotices {
  readonly #options: SignedNoticesOptions;

  constructor(options: SignedNoticesOptions) {
    this.#options = options;
  }

  /** Returns the person who signed the approval, if the person has the role `approve` for the target. */
  async approver(approval: Approval): Promise<string | undefined> {
    return await this.#signer("approve", approval.target, approval.signature, (owner) => approvalText(owner, approval));
  }

  /** Returns the person who signed the resume, if the person has the role `pause` for the target, or for all targets. */
  async resumer(resume: Resume): Promise<string | undefined> {
    return await this.#signer("pause", resume.target, resume.signature, (owner) => resumeText(owner, resume));
  }

  async #signer(
    role: PageRole,
    target: string | undefined,
    signature: string | undefined,
    textOf: (owner: string) => string,
  ): Promise<string | undefined> {
    const settings = this.#options.settings();
    if (signature === undefined || settings === undefined) return undefined;
    const allowed = await this.#options.allowedSigners();
    const signer = allowed === undefined ? undefined : await signerOf(textOf(settings.owner), signature, allowed);
    if (signer === undefined) return undefined;
    const access = accessOf(settings.rights.filter(({ signers = [] }) => signers.includes(signer)));
    return (target === undefined ? access.mayEverywhere(role) : access.may(role, target)) ? signer : undefined;
  }
}
