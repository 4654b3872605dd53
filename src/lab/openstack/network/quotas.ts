import { conflict, type NetworkKind } from "./errors.js";

const DEFAULTS: Readonly<Record<string, number>> = {
  network: 100,
  subnet: 100,
  subnetpool: -1,
  port: 500,
  router: 10,
  floatingip: 50,
  rbac_policy: 10,
  security_group: 10,
  security_group_rule: 100,
  trunk: -1,
};

/** Limits and usage per project. A limit of -1 means no limit. */
export class Quotas {
  readonly #own = new Map<string, Record<string, number>>();
  readonly #used = new Map<string, number>();
  readonly #kinds: Readonly<Record<NetworkKind, unknown>>;

  constructor(kinds: Readonly<Record<NetworkKind, unknown>>) {
    this.#kinds = kinds;
  }

  of(projectId: string): Record<string, number> {
    return { ...DEFAULTS, ...this.#own.get(projectId) };
  }

  set(projectId: string, limits: Readonly<Record<string, number>>): void {
    this.#own.set(projectId, { ...this.#own.get(projectId), ...limits });
  }

  reset(projectId: string): void {
    this.#own.delete(projectId);
  }

  /** Returns the projects that have their own limits. */
  projects(): string[] {
    return [...this.#own.keys()];
  }

  used(projectId: string, kind: string): number {
    return kind in this.#kinds ? (this.#used.get(`${kind} ${projectId}`) ?? 0) : 0;
  }

  count(kind: NetworkKind, projectId: string, change: number): void {
    const key = `${kind} ${projectId}`;
    this.#used.set(key, (this.#used.get(key) ?? 0) + change);
  }

  /** Throws `OverQuota` if `more` objects would exceed the limit. */
  demand(kind: NetworkKind, projectId: string, more = 1): void {
    const limit = this.of(projectId)[kind] ?? -1;
    if (limit >= 0 && this.used(projectId, kind) + more > limit) {
      throw conflict("OverQuota", `Quota exceeded for resources: ['${kind}'].`);
    }
  }
}
