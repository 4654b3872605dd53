import { json, type ServiceReply } from "../http/reply.js";
import { isObject } from "../world/json.js";
import { forbidden, itemNotFound } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import { cut } from "./page.js";
import { briefFlavor, briefImage, detailedFlavor, detailedImage, type View } from "./views.js";

/** The image proxy ends with this microversion. */
const NO_IMAGES_FROM = 36;

/** `/flavors`, `/flavors/detail`, `/flavors/<id>`, `/flavors/<id>/os-extra_specs`. */
export function handleFlavors({ request, path, view, url }: ComputeCall): ServiceReply | undefined {
  const { compute } = view.world;
  const [, id, extra] = path;
  if (request.method !== "GET" || path.length > 3) return undefined;
  if (id === undefined || id === "detail") {
    const all = [...compute.flavors.values()].filter(({ isPublic }) => isPublic || view.admin);
    const { objects, links } = cut("flavors", all, (flavor) => flavor.id, request.query, compute.pageMaximum, url);
    return json(200, { flavors: objects.map((flavor) => (id === "detail" ? detailedFlavor : briefFlavor)(view, flavor)), ...links });
  }
  const flavor = compute.flavors.get(id);
  if (flavor === undefined) throw itemNotFound(`Flavor ${id} could not be found.`);
  if (extra === "os-extra_specs") return json(200, { extra_specs: flavor.extraSpecs });
  return extra === undefined ? json(200, { flavor: detailedFlavor(view, flavor) }) : undefined;
}

/** `/images`, `/images/detail`, `/images/<id>`: the image service through compute, gone from 2.36 on. */
export function handleImages({ request, path, view, url }: ComputeCall): ServiceReply | undefined {
  if (view.version >= NO_IMAGES_FROM) throw itemNotFound("The resource could not be found.");
  const [, id] = path;
  const { images, compute } = view.world;
  const { projectId } = request.requester;
  if (request.method !== "GET" || path.length > 2) return undefined;
  if (id === undefined || id === "detail") {
    const all = images.visible(projectId, view.admin);
    const { objects, links } = cut("images", all, (image) => image.id, request.query, compute.pageMaximum, url);
    return json(200, { images: objects.map((image) => (id === "detail" ? detailedImage : briefImage)(view, image)), ...links });
  }
  const image = images.get(id, projectId, view.admin);
  if (image === undefined) throw itemNotFound("Image not found.");
  return json(200, { image: detailedImage(view, image) });
}

/** `/os-availability-zone`; `…/detail`, for administrators. */
export function handleZones({ request, path, view }: ComputeCall): ServiceReply | undefined {
  if (request.method !== "GET" || (path[1] ?? "detail") !== "detail") return undefined;
  if (path[1] !== undefined && !view.admin)
    throw forbidden("Policy doesn't allow os_compute_api:os-availability-zone:detail to be performed.");
  return json(200, { availabilityZoneInfo: [{ zoneName: "nova", zoneState: { available: true }, hosts: null }] });
}

/** `/limits` and `/os-quota-sets/<project>`. */
export function handleLimits({ request, path, view }: ComputeCall): ServiceReply | undefined {
  const { compute } = view.world;
  if (path[0] === "os-quota-sets") {
    const id = path[1] ?? "";
    if (request.method === "PUT") setQuotas(request.body, id, view);
    else if (request.method !== "GET") return undefined;
    return json(200, { quota_set: { id, ...compute.limits(id), key_pairs: 100, metadata_items: 128 } });
  }
  if (request.method !== "GET") return undefined;
  const project = request.requester.projectId ?? "";
  const limits = compute.limits(project);
  const used = compute.used(project);
  const absolute = {
    maxTotalInstances: limits.instances,
    maxTotalCores: limits.cores,
    maxTotalRAMSize: limits.ram,
    maxServerMeta: 128,
    maxTotalKeypairs: 100,
    maxServerGroups: limits.server_groups,
    maxServerGroupMembers: limits.server_group_members,
    totalServerGroupsUsed: compute.groups.of(project).length,
    totalRAMUsed: used.ram,
    totalCoresUsed: used.cores,
    totalInstancesUsed: used.instances,
  };
  return json(200, { limits: { rate: [], absolute } });
}

function setQuotas(body: unknown, project: string, { world: { compute }, admin }: View): void {
  if (!admin) throw forbidden("Policy doesn't allow os_compute_api:os-quota-sets:update to be performed.");
  const given = isObject(body) && isObject(body.quota_set) ? body.quota_set : {};
  const known = Object.keys(compute.limits(project));
  const limits = Object.entries(given).filter(([key]) => known.includes(key));
  compute.setLimits(project, Object.fromEntries(limits.map(([key, value]) => [key, Number(value)])));
}
