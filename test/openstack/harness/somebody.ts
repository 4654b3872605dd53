import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { CommandSession } from "./command-session.js";
import type { Run } from "./run.js";
import type { Answer, Session } from "./session.js";

/** A person who works on the cloud concurrently and manually. Objects are named. */
export interface Somebody {
  createNetwork(name: string): Promise<void>;
  createSubnet(network: string, name: string, cidr: string): Promise<void>;
  describeNetwork(name: string, description: string): Promise<void>;
  setNameServers(subnet: string, addresses: readonly string[]): Promise<void>;
  deleteSubnet(name: string): Promise<void>;
  deleteNetwork(name: string): Promise<void>;
  /** A port on the network, which then cannot be deleted. */
  createPort(network: string, name: string): Promise<void>;
  deletePort(name: string): Promise<void>;
  deleteServer(name: string): Promise<void>;
  /** Resolves when the service has finished its work on the server. */
  switchServer(name: string, to: "start" | "stop" | "pause" | "unpause" | "lock" | "unlock"): Promise<void>;
  tagServer(name: string, tag: string): Promise<void>;
  /** Resolves when it waits for its confirmation. */
  resizeServer(name: string, flavor: string): Promise<void>;
  revertResize(name: string): Promise<void>;
  createServerGroup(name: string, policy: string): Promise<void>;
  deleteServerGroup(name: string): Promise<void>;
  /** Resolves when the request was accepted. */
  detachVolume(server: string, volume: string): Promise<void>;
  /** Puts a port on a server, or an interface of a network. */
  attachPort(server: string, port: string): Promise<void>;
  attachNetwork(server: string, network: string): Promise<void>;
  /** Resolves when the request was accepted. */
  detachPort(server: string, port: string): Promise<void>;
  /** A floating IP of the pool, on no port; its address. */
  createFloatingIp(pool: string, description: string): Promise<string>;
  /** Detaches it from any port. */
  takeOffFloatingIp(address: string): Promise<void>;
  deleteFloatingIp(address: string): Promise<void>;
  /** Under the public key in that file. */
  createKeyPair(name: string, publicKeyFile: string): Promise<void>;
}

/** Milliseconds between two polls of an object that the service is deleting. */
const LOOK_AGAIN = 100;

/** Works with the real `openstack` command. */
export class CommandSomebody implements Somebody {
  readonly #session: CommandSession;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(session: string, environment: Readonly<Record<string, string>>) {
    this.#session = CommandSession.of(session);
    this.#environment = environment;
  }

  async openstack(...words: readonly string[]): Promise<Run> {
    const done = await this.#session.run(words, this.#environment);
    if (done.code !== 0) throw new Error(`openstack ${words.join(" ")}: ${done.err}`);
    return done;
  }

  async createNetwork(name: string): Promise<void> {
    await this.openstack("network", "create", name);
  }

  async createSubnet(network: string, name: string, cidr: string): Promise<void> {
    await this.openstack("subnet", "create", "--network", network, "--subnet-range", cidr, name);
  }

  async describeNetwork(name: string, description: string): Promise<void> {
    await this.openstack("network", "set", "--description", description, name);
  }

  async setNameServers(subnet: string, addresses: readonly string[]): Promise<void> {
    const servers = addresses.flatMap((address) => ["--dns-nameserver", address]);
    await this.openstack("subnet", "set", "--no-dns-nameservers", ...servers, subnet);
  }

  async deleteSubnet(name: string): Promise<void> {
    await this.openstack("subnet", "delete", name);
  }

  async deleteNetwork(name: string): Promise<void> {
    await this.openstack("network", "delete", name);
  }

  async createPort(network: string, name: string): Promise<void> {
    await this.openstack("port", "create", "--network", network, name);
  }

  async deletePort(name: string): Promise<void> {
    await this.openstack("port", "delete", name);
  }

  async deleteServer(name: string): Promise<void> {
    await this.openstack("server", "delete", "--wait", name);
  }

  async switchServer(name: string, to: "start" | "stop" | "pause" | "unpause" | "lock" | "unlock"): Promise<void> {
    await this.openstack("server", to, name);
    while ((await this.openstack("server", "show", "-f", "value", "-c", "OS-EXT-STS:task_state", name)).out.trim() !== "None")
      await wait(LOOK_AGAIN);
  }

  async tagServer(name: string, tag: string): Promise<void> {
    await this.openstack("--os-compute-api-version", "2.26", "server", "set", "--tag", tag, name);
  }

  async resizeServer(name: string, flavor: string): Promise<void> {
    await this.openstack("server", "resize", "--wait", "--flavor", flavor, name);
  }

  async revertResize(name: string): Promise<void> {
    await this.openstack("server", "resize", "revert", name);
    while ((await this.openstack("server", "show", "-f", "value", "-c", "status", name)).out.includes("RESIZE")) await wait(LOOK_AGAIN);
  }

  async createServerGroup(name: string, policy: string): Promise<void> {
    await this.openstack("--os-compute-api-version", "2.15", "server", "group", "create", "--policy", policy, name);
  }

  async deleteServerGroup(name: string): Promise<void> {
    await this.openstack("server", "group", "delete", name);
  }

  async detachVolume(server: string, volume: string): Promise<void> {
    await this.openstack("server", "remove", "volume", server, volume);
  }

  async attachPort(server: string, port: string): Promise<void> {
    await this.openstack("server", "add", "port", server, port);
  }

  async attachNetwork(server: string, network: string): Promise<void> {
    await this.openstack("server", "add", "network", server, network);
  }

  async detachPort(server: string, port: string): Promise<void> {
    await this.openstack("server", "remove", "port", server, port);
  }

  async createFloatingIp(pool: string, description: string): Promise<string> {
    const words = ["floating", "ip", "create", "--description", description, "-f", "value", "-c", "floating_ip_address", pool];
    return (await this.openstack(...words)).out.trim();
  }

  async takeOffFloatingIp(address: string): Promise<void> {
    await this.openstack("floating", "ip", "unset", "--port", address);
  }

  async deleteFloatingIp(address: string): Promise<void> {
    await this.openstack("floating", "ip", "delete", address);
  }

  async createKeyPair(name: string, publicKeyFile: string): Promise<void> {
    await this.openstack("keypair", "create", "--public-key", publicKeyFile, name);
  }
}

/** Uses plain HTTP, for machines without the `openstack` command. */
export class HttpSomebody implements Somebody {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async createNetwork(name: string): Promise<void> {
    await this.#session.demand("network", "POST", "/v2.0/networks", { network: { name } });
  }

  async createSubnet(network: string, name: string, cidr: string): Promise<void> {
    const subnet = { name, cidr, ip_version: 4, network_id: await this.#id("networks", network) };
    await this.#session.demand("network", "POST", "/v2.0/subnets", { subnet });
  }

  async describeNetwork(name: string, description: string): Promise<void> {
    await this.#session.demand("network", "PUT", `/v2.0/networks/${await this.#id("networks", name)}`, { network: { description } });
  }

  async setNameServers(subnet: string, addresses: readonly string[]): Promise<void> {
    const body = { subnet: { dns_nameservers: addresses } };
    await this.#session.demand("network", "PUT", `/v2.0/subnets/${await this.#id("subnets", subnet)}`, body);
  }

  async deleteSubnet(name: string): Promise<void> {
    await this.#session.demand("network", "DELETE", `/v2.0/subnets/${await this.#id("subnets", name)}`);
  }

  async deleteNetwork(name: string): Promise<void> {
    await this.#session.demand("network", "DELETE", `/v2.0/networks/${await this.#id("networks", name)}`);
  }

  async createPort(network: string, name: string): Promise<void> {
    await this.#session.demand("network", "POST", "/v2.0/ports", { port: { name, network_id: await this.#id("networks", network) } });
  }

  async deletePort(name: string): Promise<void> {
    await this.#session.demand("network", "DELETE", `/v2.0/ports/${await this.#id("ports", name)}`);
  }

  async deleteServer(name: string): Promise<void> {
    const server = await this.#session.named("compute", "/servers", "servers", name);
    await this.#session.demand("compute", "DELETE", `/servers/${server.id}`);
    // As the command does with --wait: the service goes on showing a server while it deletes it.
    while ((await this.#session.request("compute", "GET", `/servers/${server.id}`)).status !== 404) await wait(LOOK_AGAIN);
  }

  async switchServer(name: string, to: "start" | "stop" | "pause" | "unpause" | "lock" | "unlock"): Promise<void> {
    const action = to === "start" || to === "stop" ? `os-${to}` : to;
    await this.#act(name, { [action]: null }, (server) => server["OS-EXT-STS:task_state"] === null);
  }

  async tagServer(name: string, tag: string): Promise<void> {
    const { id } = await this.#session.named("compute", "/servers", "servers", name);
    await this.#session.request("compute", "PUT", `/servers/${id}/tags/${tag}`, undefined, "2.26");
  }

  async resizeServer(name: string, flavor: string): Promise<void> {
    const { flavors } = await this.#session.demand("compute", "GET", "/flavors");
    const { id } = flavors.find((each: { name: string }) => each.name === flavor);
    await this.#act(name, { resize: { flavorRef: id } }, ({ status }) => status === "VERIFY_RESIZE");
  }

  async revertResize(name: string): Promise<void> {
    await this.#act(name, { revertResize: null }, ({ status }) => !status.includes("RESIZE"));
  }

  async #act(name: string, body: object, isDone: (server: Answer["json"]) => boolean): Promise<void> {
    const { id } = await this.#session.named("compute", "/servers", "servers", name);
    await this.#session.demand("compute", "POST", `/servers/${id}/action`, body);
    while (!isDone((await this.#session.demand("compute", "GET", `/servers/${id}`)).server)) await wait(LOOK_AGAIN);
  }

  async createServerGroup(name: string, policy: string): Promise<void> {
    const body = { server_group: { name, policies: [policy] } };
    await this.#session.request("compute", "POST", "/os-server-groups", body, "2.15");
  }

  async deleteServerGroup(name: string): Promise<void> {
    const { id } = await this.#session.named("compute", "/os-server-groups", "server_groups", name);
    await this.#session.demand("compute", "DELETE", `/os-server-groups/${id}`);
  }

  async detachVolume(server: string, volume: string): Promise<void> {
    const { id } = await this.#session.named("compute", "/servers", "servers", server);
    const { id: volumeId } = await this.#session.named("volumev3", "/volumes", "volumes", volume);
    await this.#session.demand("compute", "DELETE", `/servers/${id}/os-volume_attachments/${volumeId}`);
  }

  async attachPort(server: string, port: string): Promise<void> {
    await this.#attach(server, { port_id: await this.#id("ports", port) });
  }

  async attachNetwork(server: string, network: string): Promise<void> {
    await this.#attach(server, { net_id: await this.#id("networks", network) });
  }

  async detachPort(server: string, port: string): Promise<void> {
    const { id } = await this.#session.named("compute", "/servers", "servers", server);
    await this.#session.demand("compute", "DELETE", `/servers/${id}/os-interface/${await this.#id("ports", port)}`);
  }

  async #attach(server: string, interfaceAttachment: object): Promise<void> {
    const { id } = await this.#session.named("compute", "/servers", "servers", server);
    await this.#session.demand("compute", "POST", `/servers/${id}/os-interface`, { interfaceAttachment });
  }

  async createFloatingIp(pool: string, description: string): Promise<string> {
    const floatingip = { floating_network_id: await this.#id("networks", pool), description };
    const made = await this.#session.demand("network", "POST", "/v2.0/floatingips", { floatingip });
    return made.floatingip.floating_ip_address;
  }

  async takeOffFloatingIp(address: string): Promise<void> {
    await this.#session.demand("network", "PUT", `/v2.0/floatingips/${await this.#floating(address)}`, { floatingip: { port_id: null } });
  }

  async deleteFloatingIp(address: string): Promise<void> {
    await this.#session.demand("network", "DELETE", `/v2.0/floatingips/${await this.#floating(address)}`);
  }

  async #floating(address: string): Promise<string> {
    const { floatingips } = await this.#session.demand("network", "GET", `/v2.0/floatingips?floating_ip_address=${address}`);
    return floatingips[0].id;
  }

  async createKeyPair(name: string, publicKeyFile: string): Promise<void> {
    await this.#session.demand("compute", "POST", "/os-keypairs", { keypair: { name, public_key: readFileSync(publicKeyFile, "utf8") } });
  }

  async #id(collection: string, name: string): Promise<string> {
    const found = await this.#session.named("network", `/v2.0/${collection}`, collection, name);
    if (found === undefined) throw new Error(`there is no ${name} among the ${collection}`);
    return found.id;
  }
}
