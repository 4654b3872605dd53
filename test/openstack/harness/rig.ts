import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOpenstackLab } from "../../../src/lab/openstack/start.js";
import type { RealServices } from "./services.js";
import { type Access, Session } from "./session.js";
import { CommandSomebody, HttpSomebody, type Somebody } from "./somebody.js";

/** Settings of a cloud that a test changes while it runs. Omitted ones return to their initial value. */
interface RunTime {
  /** Seconds that a token of a user lives. */
  readonly tokenLifetime?: number;
  /** Objects in a page at most. */
  readonly pageMaximum?: number;
  /** Seconds from the creation of a server to ACTIVE. Only the lab can be configured; the real services take about 2. */
  readonly buildTime?: number;
}

/** A new project on some cloud, for one case. */
export interface Rig {
  /** Commands run in the process of the tests, which is faster. Relative file names then belong to the working folder of the tests. */
  readonly runsInProcess: boolean;
  readonly access: Access;
  /** A `clouds.yaml` whose only entry, `lab`, is the user of this project. */
  readonly cloudsFile: string;
  /** The project's user, by plain HTTP. */
  readonly user: Session;
  readonly admin: Session;
  /** Another who works on the same project by hand. */
  readonly somebody: Somebody;
  set(settings: RunTime): Promise<void>;
  /** An empty image for this project; `architecture`: for hosts of another architecture. */
  addImage(name: string, architecture?: string): Promise<void>;
  /** A type of volumes, for everybody. */
  addVolumeType(name: string): Promise<void>;
  close(): Promise<void>;
}

const PASSWORD = "secret";
const LAB_BUILD_TIME = 0.2;
const LAB_TIMES = { buildDuration: 200, actionDuration: 200, resizeDuration: 200, deleteDuration: 20 };

/** A separate lab with an empty project for the case. */
export async function openLab(): Promise<Rig> {
  const lab = await startOpenstackLab({
    ports: "free",
    compute: LAB_TIMES,
    volume: { makeDuration: 200, changeDuration: 200 },
  });
  const access = { authUrl: lab.authUrl, username: "other", password: PASSWORD, project: "other" };
  const user = new Session(access);
  const files = writeClouds(access);
  return {
    runsInProcess: true,
    access,
    user,
    admin: administrator(lab.authUrl),
    cloudsFile: files.cloudsFile,
    somebody: new HttpSomebody(user),
    set: async ({ tokenLifetime = 3600, pageMaximum = 1000, buildTime = LAB_BUILD_TIME }) => {
      lab.world.compute.buildDuration = buildTime * 1000;
      lab.world.identity.tokenLifetime = tokenLifetime * 1000;
      lab.world.network.pageMaximum = pageMaximum;
      lab.world.compute.pageMaximum = pageMaximum;
      lab.world.volumes.pageMaximum = pageMaximum;
    },
    addImage: async (name, architecture) => {
      const more = architecture === undefined ? {} : { hw_architecture: architecture };
      lab.world.images.add(name, await user.projectId(), more);
    },
    addVolumeType: async (name) => void lab.world.volumes.types.add(name),
    close: async () => {
      await lab.close();
      files.remove();
    },
  };
}

/** A new project and user on the real services. The project stays: the next case has another. */
export async function openReal({ authUrl, session, settings }: RealServices): Promise<Rig> {
  const name = `case-${randomUUID().slice(0, 8)}`;
  const admin = administrator(authUrl);
  const domain_id = "default";
  const { project } = await admin.demand("identity", "POST", "/projects", { project: { name, domain_id } });
  const { user: made } = await admin.demand("identity", "POST", "/users", { user: { name, domain_id, password: PASSWORD } });
  const { roles } = await admin.demand("identity", "GET", "/roles?name=member");
  await admin.demand("identity", "PUT", `/projects/${project.id}/users/${made.id}/roles/${roles[0].id}`);
  const access = { authUrl, username: name, password: PASSWORD, project: name };
  const files = writeClouds(access);
  const environment = {
    HOME: process.env.HOME ?? "",
    OS_CLIENT_CONFIG_FILE: files.cloudsFile,
    OS_CLOUD: "lab",
  };
  const somebody = new CommandSomebody(session, environment);
  return {
    runsInProcess: false,
    access,
    user: new Session(access),
    admin,
    cloudsFile: files.cloudsFile,
    somebody,
    set: async (wanted) => writeFileSync(settings, JSON.stringify(wanted)),
    addImage: async (name, architecture) => {
      const form = ["--disk-format", "raw", "--container-format", "bare"];
      const property = architecture === undefined ? [] : ["--property", `hw_architecture=${architecture}`];
      await somebody.openstack("image", "create", ...form, ...property, "--file", files.cloudsFile, name);
    },
    addVolumeType: async (name) => void (await admin.demand("volumev3", "POST", "/types", { volume_type: { name } })),
    close: async () => {
      rmSync(settings, { force: true });
      files.remove();
    },
  };
}

function administrator(authUrl: string): Session {
  return new Session({ authUrl, username: "admin", password: PASSWORD, project: "admin" });
}

function writeClouds({ authUrl, username, password, project }: Access): { readonly cloudsFile: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-clouds-"));
  const cloudsFile = join(folder, "clouds.yaml");
  const auth = { auth_url: authUrl, username, password, project_name: project, user_domain_id: "default", project_domain_id: "default" };
  // JSON is YAML.
  writeFileSync(cloudsFile, JSON.stringify({ clouds: { lab: { auth, region_name: "RegionOne", identity_api_version: 3 } } }));
  return { cloudsFile, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
