import { type JsonObject, objectAt, objectsAt, textAt, texts } from "../../../core/json/value.js";
import { ControllerError } from "../world/controller-error.js";
import { nameOf, type StoredObject } from "../world/stored-object.js";
import { dashed, undashed } from "../world/uuid.js";
import type { ContrailWorld } from "../world/world.js";
import { NeutronError, neutronBadRequest } from "./neutron-error.js";
import type { NeutronContext, NeutronPlugin, NeutronResource } from "./neutron-plugin.js";

const TYPE = "virtual-machine-interface";

/** Ports of the network service: virtual machine interfaces with their instance IPs. */
export class NeutronPorts implements NeutronResource {
  readonly #world: ContrailWorld;
  readonly #plugin: NeutronPlugin;

  constructor(world: ContrailWorld, plugin: NeutronPlugin) {
    this.#world = world;
    this.#plugin = plugin;
  }

  create({ tenantId }: NeutronContext, document: JsonObject): JsonObject {
    const networkId = textAt(document, "network_id") ?? "";
    const network = this.#world.store.get(networkId);
    if (network?.type !== "virtual-network") throw new NeutronError("NetworkNotFound", { net_id: networkId });
    const project = this.#plugin.project(textAt(document, "tenant_id") ?? tenantId);
    const uuid = dashed(textAt(document, "id") ?? this.#world.newUuid());
    const name = textAt(document, "name") ?? "";
    const groups = texts(document.security_groups) ?? [this.#defaultGroup(project).uuid];
    const fqName = [...project.fqName, name === "" ? uuid : name];
    const port = this.#world.create(TYPE, {
      fq_name: this.#world.store.named(TYPE, fqName) === undefined ? fqName : [...project.fqName, `${name}-${uuid}`],
      parent_type: "project",
      uuid,
      display_name: name,
      id_perms: { enable: document.admin_state_up ?? true },
      perms2: { owner: undashed(project.uuid) },
      virtual_machine_interface_device_owner: textAt(document, "device_owner") ?? "",
      virtual_network_refs: [{ uuid: network.uuid }],
      security_group_refs: groups.map((group) => ({ uuid: group })),
      ...this.#machine(textAt(document, "device_id") ?? ""),
    });
    try {
      this.#addAddresses(port, network, document);
    } catch (error) {
      this.delete(port.uuid);
      throw error;
    }
    return this.read(uuid);
  }

  /** Allocates the requested addresses. Without a request, one address if the network has subnets. */
  #addAddresses(port: StoredObject, network: StoredObject, document: JsonObject): void {
    const requested = objectsAt(document, "fixed_ips");
    const subnetless = !network.references.has("network_ipam_refs");
    const wanted: JsonObject[] = requested.length > 0 || subnetless ? requested : [{}];
    for (const { subnet_id: subnetUuid = null, ip_address: address = null } of wanted) {
      this.#world.create("instance-ip", {
        fq_name: [this.#world.newUuid()],
        virtual_network_refs: [{ uuid: network.uuid }],
        virtual_machine_interface_refs: [{ uuid: port.uuid }],
        ...(subnetUuid === null ? {} : { subnet_uuid: subnetUuid }),
        ...(address === null ? {} : { instance_ip_address: address }),
      });
    }
  }

  #machine(deviceId: string): JsonObject {
    if (deviceId === "") return {};
    const machine =
      this.#world.store.named("virtual-machine", [deviceId]) ?? this.#world.create("virtual-machine", { fq_name: [deviceId] });
    return { virtual_machine_refs: [{ uuid: machine.uuid }] };
  }

  /** The tenant's security group `default`, which is created with its first port. */
  #defaultGroup(project: StoredObject): StoredObject {
    const fqName = [...project.fqName, "default"];
    return (
      this.#world.store.named("security-group", fqName) ?? this.#world.create("security-group", { fq_name: fqName, parent_type: "project" })
    );
  }

  read(id: string): JsonObject {
    return this.#document(this.#port(id));
  }

  readAll({ tenantId, admin }: NeutronContext): JsonObject[] {
    return [...this.#world.store.ofType(TYPE)]
      .filter(({ parent }) => admin || undashed(parent?.uuid ?? "") === tenantId)
      .map((port) => this.#document(port));
  }

  update(id: string, document: JsonObject): JsonObject {
    const port = this.#port(id);
    const body: JsonObject = {};
    if ("name" in document) body.display_name = document.name ?? "";
    if ("admin_state_up" in document) body.id_perms = { enable: document.admin_state_up ?? true };
    if ("device_owner" in document) body.virtual_machine_interface_device_owner = document.device_owner ?? "";
    if ("fixed_ips" in document) throw neutronBadRequest("port", "update of fixed_ips is not supported by the lab");
    this.#world.update(TYPE, port.uuid, body);
    return this.#document(port);
  }

  delete(id: string): void {
    const port = this.#port(id);
    try {
      for (const address of this.#addresses(port)) this.#world.delete("instance-ip", address.uuid);
      this.#world.delete(TYPE, port.uuid);
    } catch (error) {
      if (error instanceof ControllerError && error.status === 409) throw new NeutronError("PortInUse", { port_id: id });
      throw error;
    }
  }

  #addresses({ uuid }: StoredObject): StoredObject[] {
    return [...(this.#world.store.referrersOf(uuid).get("instance-ip") ?? [])];
  }

  #port(id: string): StoredObject {
    const port = this.#world.store.get(id);
    if (port?.type !== TYPE) throw new NeutronError("PortNotFound", { port_id: id });
    return port;
  }

  #document(port: StoredObject): JsonObject {
    const { properties, references } = port;
    const perms = objectAt(properties, "id_perms") ?? {};
    const machine = references.get("virtual_machine_refs")?.[0];
    const [mac = null] = texts(objectAt(properties, "virtual_machine_interface_mac_addresses")?.mac_address) ?? [];
    return {
      name: textAt(properties, "display_name") ?? nameOf(port),
      id: port.uuid,
      tenant_id: undashed(port.parent?.uuid ?? ""),
      network_id: references.get("virtual_network_refs")?.[0]?.uuid ?? null,
      mac_address: mac,
      "binding:vnic_type": "normal",
      "binding:vif_details": { port_filter: true },
      "binding:vif_type": "unbound",
      "binding:host_id": null,
      allowed_address_pairs: [],
      fixed_ips: this.#addresses(port).map(({ properties: { instance_ip_address = null, subnet_uuid = null } }) => ({
        ip_address: instance_ip_address,
        subnet_id: subnet_uuid,
      })),
      security_groups: (references.get("security_group_refs") ?? []).map(({ uuid }) => uuid),
      admin_state_up: perms.enable ?? true,
      device_id: machine === undefined ? "" : (this.#world.store.get(machine.uuid)?.fqName[0] ?? ""),
      device_owner: textAt(properties, "virtual_machine_interface_device_owner") ?? "",
      status: machine === undefined ? "DOWN" : "ACTIVE",
      fq_name: [...port.fqName],
      port_security_enabled: properties.port_security_enabled ?? true,
      created_at: perms.created ?? null,
      updated_at: perms.last_modified ?? null,
    };
  }
}
