/** Users by address and tags by address, as `type=user-id` registers them. */
export class UserMappings {
  readonly users = new Map<string, string>();
  readonly tags = new Map<string, Set<string>>();
}
