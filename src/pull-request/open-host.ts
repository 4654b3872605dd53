import { setTimeout as wait } from "node:timers/promises";
import type { ApiDependencies } from "./api.js";
import { Gitea } from "./gitea.js";
import { GitHub } from "./github.js";
import { GitLab } from "./gitlab.js";
import type { CodeHost } from "./host.js";
import type { HostKind } from "./host-kinds.js";
import type { HostSettings } from "./settings.js";

const HOSTS: Readonly<Record<HostKind, new (settings: HostSettings, dependencies: ApiDependencies) => CodeHost>> = {
  github: GitHub,
  gitlab: GitLab,
  gitea: Gitea,
};

/** Returns a client for the code host. Sends no request. */
export function openHost(settings: HostSettings, dependencies: ApiDependencies = system): CodeHost {
  return new HOSTS[settings.kind](settings, dependencies);
}

const system: ApiDependencies = {
  now: () => Date.now(),
  sleep: (milliseconds) => wait(milliseconds),
  random: Math.random,
};
