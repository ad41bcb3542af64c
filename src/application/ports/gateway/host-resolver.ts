import type { Result } from '../../../domain/shared/result.js';

/** Finds the addresses of a host. */
export interface HostResolver {
  /**
   * IP addresses, each once, in an order that does not change while they are the same. An IP address is its own answer. The error is a
   * code of the system, as in `ENOTFOUND`, or `timed_out`. Settles within a deadline of the adapter's own.
   */
  resolve(host: string): Promise<Result<readonly string[], string>>;
}
