import type { PageRole, RightSettings } from "../desired/configuration/page-settings.js";
import type { Approval, Resume } from "../engine/pause.js";
import { approvalText, resumeText } from "../engine/signed-notice.js";
import { signerOf } from "../engine/ssh-signature.js";
import { accessOf } from "./page/rights.js";

export interface SignedNoticesOptions {
  /** The owner of the accepted commit, undefined before there is one, and the rights of the agent's own settings. */
  readonly settings: () => { readonly owner: string; readonly rights: readonly RightSettings[] } | undefined;
  /** The file of allowed SSH signers. */
  readonly allowedSigners: () => Promise<string | undefined>;
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
    const file = await this.#options.allowedSigners();
    const signer = file === undefined ? undefined : await signerOf(textOf(settings.owner), signature, file);
    if (signer === undefined) return undefined;
    const access = accessOf(settings.rights.filter(({ signers = [] }) => signers.includes(signer)));
    return (target === undefined ? access.mayEverywhere(role) : access.may(role, target)) ? signer : undefined;
  }
}
