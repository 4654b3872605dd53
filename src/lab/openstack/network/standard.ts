/** Attributes that every object of the network service has. Times in ISO 8601 with `Z`, whole seconds. */
export interface Standard {
  readonly id: string;
  name: string;
  description: string;
  readonly tenant_id: string;
  readonly project_id: string;
  tags: string[];
  readonly created_at: string;
  updated_at: string;
  /** Counts the changes; what `If-Match: revision_number=N` is compared with. */
  revision_number: number;
}
