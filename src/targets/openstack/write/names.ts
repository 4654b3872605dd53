import { PlumblineError } from "../../../core/errors.js";
import { textAt } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { ListName } from "../objects/kinds.js";
import { needsOf } from "../read/read-tree.js";
import type { WriteContext } from "./context.js";

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

const ONE: Readonly<Partial<Record<ListName, string>>> = {
  networks: "network",
  subnets: "subnet",
  subnetpools: "subnet pool",
  security_groups: "security group",
  address_groups: "address group",
  ports: "port",
  servers: "server",
  server_groups: "server group",
  images: "image",
  flavors: "flavor",
  volumes: "volume",
  snapshots: "snapshot",
};

/**
 * Returns the id of the object that a document calls `key`, at `at`. An unknown UUID is assumed to be the id of an object that the project
 * may use but not see.
 * @throws PlumblineError `cloud-name-unknown`, `cloud-name-ambiguous`
 */
export async function idOf(context: WriteContext, list: ListName, key: string, at: Path): Promise<string> {
  await context.inventory.load([list, ...needsOf(list)]);
  const ids = idsOf(context, list, key);
  const [id, ...others] = ids;
  if (id !== undefined && others.length === 0) return id;
  const kind = ONE[list] ?? list;
  if (id !== undefined)
    throw new PlumblineError("cloud-name-ambiguous", `${ids.length} ${list} are called "${key}"`, {
      where: { target: context.client.target, xpath: at.toString() },
      next: list === "subnets" ? "Write NETWORK/SUBNET." : "Write the name that the list shows, or the id.",
    });
  if (context.inventory.object(list, key) !== undefined || UUID.test(key)) return key;
  throw new PlumblineError("cloud-name-unknown", `there is no ${kind} called "${key}"`, {
    where: { target: context.client.target, xpath: at.toString() },
    next: `Correct the name, or create the ${kind}. Hidden objects do not exist for the project.`,
  });
}

function idsOf({ inventory }: WriteContext, list: ListName, key: string): readonly string[] {
  const ids = inventory.idsOf(list, key);
  const slash = key.indexOf("/");
  if (list !== "subnets" || ids.length > 0 || slash === -1) return ids;
  const networks = inventory.idsOf("networks", key.slice(0, slash));
  return inventory
    .idsOf("subnets", key.slice(slash + 1))
    .filter((id) => networks.includes(textAt(inventory.object("subnets", id) ?? {}, "network_id") ?? ""));
}
