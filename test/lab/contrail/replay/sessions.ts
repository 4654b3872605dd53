import type { TokenInfo } from "../../../../src/lab/contrail/access/token.js";
import type { ContrailLabOptions } from "../../../../src/lab/contrail/start.js";
import type { ContrailWorld } from "../../../../src/lab/contrail/world/world.js";

/** Files that were recorded one after the other on one server. */
export interface Session {
  readonly files: readonly string[];
  readonly neutronPlugin: boolean;
  readonly options?: ContrailLabOptions;
  /** Creates the objects that the server had before the first file. */
  readonly prepare?: (world: ContrailWorld) => void;
}

const PROJECT = { projectId: "612f1761-6399-40dd-a674-e2f446018c13", projectName: "demo" };
const TOKENS: Readonly<Record<string, TokenInfo>> = {
  "admin-token": { user: "admin", roles: ["admin"], ...PROJECT },
  "member-token": { user: "alice", roles: ["member"], ...PROJECT },
};

export const SESSIONS: readonly Session[] = [
  {
    files: ["01-basic.txt", "02-updates-refs-deletes.txt", "03-lists.txt", "04-subnets-ipam-sg-fip.txt", "05-subnets-ipam-sg-fip.txt"],
    neutronPlugin: false,
  },
  { files: ["06-neutron-join.txt"], neutronPlugin: true },
  { files: ["07-auth-rbac.txt"], neutronPlugin: false, options: { aaaMode: "rbac", checkToken: (token) => TOKENS[token] } },
  {
    files: ["10-subnet-updates-annotations.txt", "11-quota-perf.txt"],
    neutronPlugin: false,
    // That server had made five more networks before: the sixth recorded one has number 13.
    prepare: (world) => {
      world.create("project", { fq_name: ["default-domain", "earlier"], parent_type: "domain" });
      for (let index = 1; index <= 5; index++) world.create("virtual-network", { fq_name: ["default-domain", "earlier", `n${index}`] });
    },
  },
];

/** A recorded exchange that the lab answers otherwise, and why. */
export interface Difference {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

const DIFFERENCES: readonly Difference[] = [];

export function reasonFor({ file, line }: Pick<Difference, "file" | "line">): string | undefined {
  return DIFFERENCES.find((each) => each.file === file && each.line === line)?.reason;
}
