/** Attributes of every object of the network service. Times are in ISO 8601 with `Z`, in seconds. */
export interface Standard {
  readonly id: string;
  name: string;
  description: string;
  readonly tenant_id: string;
  readonly project_id: string;
  tags: string[];
  readonly created_at: string;
  updated_at: string;
  /** Number of changes. The service compares it with `If-Match: revision_number=N`. */
  revision_number: number;
}
