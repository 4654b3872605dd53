/** An error reply of the service (docs/contributing/devices/verdict-service.md): an HTTP status and a message. */
export class VerdictRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Messages of refusals. Those for 403, 413, 420, 421 and 422 were observed at the service; the others are the lab's own. */
export const refusals = {
  key: () => new VerdictRefusal(401, "Invalid API key"),
  date: () => new VerdictRefusal(403, "Invalid Date (longer than 30 days from now or newer than now)"),
  path: () => new VerdictRefusal(404, "Not Found"),
  method: () => new VerdictRefusal(405, "Method Not Allowed, please use POST"),
  tooMany: (most: number) => new VerdictRefusal(413, `Only ${most} entries are allowed for each file`),
  quota: () => new VerdictRefusal(419, "Request daily quota exceeded"),
  missing: (field?: string) => new VerdictRefusal(420, `Missing required field${field === undefined ? "" : ` ${field}`}`),
  hash: () => new VerdictRefusal(421, "invalid hash value"),
  dateFormat: () => new VerdictRefusal(421, "invalid date value"),
  empty: () => new VerdictRefusal(422, "Unprocessable Entities"),
};
