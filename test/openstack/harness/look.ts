import type { Answer, Session } from "./session.js";

/** What is live, by plain HTTP; undefined where there is none of that name. */
export const networkNamed = (user: Session, name: string): Promise<Answer["json"]> =>
  user.named("network", "/v2.0/networks", "networks", name);

export const subnetNamed = (user: Session, name: string): Promise<Answer["json"]> =>
  user.named("network", "/v2.0/subnets", "subnets", name);

export const serverNamed = (user: Session, name: string): Promise<Answer["json"]> =>
  user.named("compute", "/servers/detail", "servers", name);

/** Names of the networks that the project owns, sorted. */
export async function ownNetworks(user: Session): Promise<string[]> {
  const project = await user.projectId();
  const networks = await user.list("network", "/v2.0/networks", "networks");
  return networks
    .filter((network) => network.project_id === project)
    .map(({ name }) => name)
    .sort();
}
