import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { HostResolver } from '../../../application/ports/gateway/host-resolver.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Resolves with all addresses of a host. Rejects with an error that has a code. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

/** Resolves as connections do, including /etc/hosts. IPv6 addresses only if this host has one. */
const systemLookup: Lookup = (host) => lookup(host, { all: true, verbatim: true, hints: ADDRCONFIG });

const systemDeadlineMs = 5_000;

const codeOf = (error: unknown): string => {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'failed';
};

/** Resolves with the operating system. */
export class NodeHostResolver implements HostResolver {
  readonly #lookup: Lookup;
  readonly #deadlineMs: number;
  /** Open lookups by host. A lookup cannot be cancelled, so a host has at most one. */
  readonly #inFlight = new Map<string, Promise<Result<readonly string[], string>>>();

  constructor(find: Lookup = systemLookup, deadlineMs = systemDeadlineMs) {
    this.#lookup = find;
    this.#deadlineMs = deadlineMs;
  }

  async resolve(host: string): Promise<Result<readonly string[], string>> {
    if (isIP(host) !== 0) return ok([host]);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Result<readonly string[], string>>((resolve) => {
      timer = setTimeout(() => resolve(err('timed_out')), this.#deadlineMs).unref();
    });
    try {
      return await Promise.race([this.#asked(host), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #asked(host: string): Promise<Result<readonly string[], string>> {
    const open = this.#inFlight.get(host);
    if (open !== undefined) return open;
    const asked = this.#find(host).finally(() => this.#inFlight.delete(host));
    this.#inFlight.set(host, asked);
    return asked;
  }

  async #find(host: string): Promise<Result<readonly string[], string>> {
    try {
      const found = await this.#lookup(host);
      // DNS servers rotate answers; a sorted list changes only with its addresses.
      return ok([...new Set(found.map(({ address }) => address))].sort());
    } catch (error) {
      return err(codeOf(error));
    }
  }
}
