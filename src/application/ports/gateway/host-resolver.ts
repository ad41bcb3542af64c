import type { Result } from '../../../domain/shared/result.js';

/** Resolves host names. */
export interface HostResolver {
  /**
   * Unique IP addresses in a stable order. An IP address resolves to itself. The error is a system
   * code, as in `ENOTFOUND`, or `timed_out`. Settles within the adapter's deadline.
   */
  resolve(host: string): Promise<Result<readonly string[], string>>;
}
