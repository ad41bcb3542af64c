/** What permits are held for. Each kind has one limit, and keys of its own: one, or one for each client, route or agent. */
export type PermitKind =
  | 'connections'
  | 'connections-of-client'
  | 'requests'
  | 'requests-of-client'
  | 'requests-of-route'
  | 'queued-requests'
  | 'agent-queue';

/** What a worker may hold of a limit without asking, while nobody needs more. One worker has all of it. */
export const staticShare = (limit: number, workers: number): number => Math.floor(limit / workers);

/** What each worker has of a limit that is not held together with the others, as that of a pool: the sum may be over it by less than one for each. */
export const dividedLimit = (limit: number, workers: number): number => Math.ceil(limit / workers);
