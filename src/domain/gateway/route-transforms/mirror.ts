/** How requests of a route are copied to a second upstream. */
export interface MirrorRules {
  readonly upstream: string;
  /** Share of the requests that are copied; 0 to 100. */
  readonly percent: number;
  /** The copy keeps credentials and identity headers. */
  readonly keepsCredentials: boolean;
}

/** The most copies under way at once, over all routes and workers. */
export const maxMirroredRequests = 100;

/** The most octets of a response to a copy that are read before its connection closes. */
export const maxMirrorResponseOctets = 1_048_576;

/** The ends of a copy, as counted. */
export const mirrorResults = [
  /** The upstream responded, with any status. */
  'answered',
  /** The upstream did not respond in time, or the connection failed. */
  'failed',
  /** The upstream had no healthy target. */
  'no_target',
  /** `maxMirroredRequests` were under way, or memory was short. */
  'dropped',
  /** The request body was larger than `max-body-buffer-bytes`. */
  'body_too_large',
  /** The request body did not reach its end. */
  'body_incomplete',
] as const;
export type MirrorResult = (typeof mirrorResults)[number];

/** @param fraction a random number from 0, below 1 */
export const isMirrored = ({ percent }: MirrorRules, fraction: number): boolean => fraction * 100 < percent;
