import type { JsonObject } from "../world/json.js";
import { ServiceError } from "../world/service-error.js";
import { formatBlock, parseBlock } from "./addresses.js";
import { type Attributes, STANDARD } from "./attributes.js";
import { subnetCidrs } from "./checks.js";
import { conflict } from "./errors.js";
import { asJson, type Manager } from "./manager.js";
import type { Standard } from "./standard-attributes.js";
import type { NetworkStore } from "./store.js";

/** Networks that rules of security groups name together. It has no tags. */
export interface AddressGroup extends Standard {
  addresses: string[];
}

const ATTRIBUTES: Attributes = {
  id: {},
  name: STANDARD.name ?? {},
  description: STANDARD.description ?? {},
  tenant_id: STANDARD.tenant_id ?? {},
  project_id: STANDARD.project_id ?? {},
  addresses: { check: subnetCidrs, post: true, fallback: [] },
};

export class AddressGroups implements Manager<"address_group"> {
  readonly kind = "address_group";
  readonly plural = "address_groups";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;

  constructor(store: NetworkStore) {
    this.#store = store;
  }

  create(values: JsonObject): AddressGroup {
    const addresses = canonical(values.addresses as string[]);
    return this.#store.add("address_group", { ...this.#store.standard(values, 0), addresses });
  }

  update(group: AddressGroup, values: JsonObject): void {
    this.#store.change("address_group", group, values as Partial<AddressGroup>);
  }

  remove(group: AddressGroup): void {
    const isNamed = [...this.#store.objects.security_group_rule.values()].some((rule) => rule.remote_address_group_id === group.id);
    if (isNamed) throw conflict("AddressGroupInUse", `Address group ${group.id} is in use on one or more security group rules.`);
    this.#store.remove("address_group", group);
  }

  addAddresses(group: AddressGroup, addresses: readonly string[]): void {
    const there = canonical(addresses).filter((each) => group.addresses.includes(each));
    if (there.length > 0) {
      const words = `Addresses [${there.map((each) => `'${each}'`).join(", ")}] already exist in the address group ${group.id}.`;
      throw new ServiceError(400, "AddressesAlreadyExist", words);
    }
    this.#store.change("address_group", group, { addresses: [...group.addresses, ...canonical(addresses)] });
  }

  removeAddresses(group: AddressGroup, addresses: readonly string[]): void {
    const missing = canonical(addresses).filter((each) => !group.addresses.includes(each));
    if (missing.length > 0) {
      const words = `Addresses [${missing.map((each) => `'${each}'`).join(", ")}] not found in the address group ${group.id}.`;
      throw new ServiceError(404, "AddressesNotFound", words);
    }
    const removed = new Set(canonical(addresses));
    this.#store.change("address_group", group, { addresses: group.addresses.filter((each) => !removed.has(each)) });
  }

  shared(): boolean {
    return false;
  }

  show(group: AddressGroup): JsonObject {
    const { tags: _tags, created_at: _created, updated_at: _updated, revision_number: _revision, ...shown } = asJson(group);
    return shown;
  }
}

function canonical(addresses: readonly string[]): string[] {
  return addresses.map((each) => {
    const block = parseBlock(each);
    if (block === undefined) throw new ServiceError(400, "AddrFormatError", `invalid IPNetwork ${each}`);
    return formatBlock(block);
  });
}
