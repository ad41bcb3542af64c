import { parseIpAddress } from '../../../domain/http/ip-address.js';
import type { Result } from '../../../domain/shared/result.js';
import type { HostResolver } from '../../ports/gateway/host-resolver.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';

/** Hosts whose addresses are remembered: more than a configuration has that anybody would write. */
const maximumHosts = 10_000;

/** The addresses that hosts were last found to have, so that a reload while no name can be looked up loses none. */
export class KnownAddresses {
  readonly #byHost = new Map<string, readonly string[]>();

  /** Empty where none are known. */
  of(host: string): readonly string[] {
    return this.#byHost.get(host) ?? [];
  }

  note(host: string, addresses: readonly string[]): void {
    // The one that was found longest ago comes first.
    this.#byHost.delete(host);
    this.#byHost.set(host, addresses);
    for (const oldest of this.#byHost.keys()) {
      if (this.#byHost.size <= maximumHosts) return;
      this.#byHost.delete(oldest);
    }
  }
}

export interface HostLookupParts {
  readonly resolver: HostResolver;
  readonly known: KnownAddresses;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Addresses of one name that are used at most. */
export const maximumAddresses = 256;

/** What a start waits for the names at most. */
const startWaitMs = 2_000;

/** After a look-up that failed the next one comes sooner, and ever less soon. */
const firstRetryMs = 1_000;

/**
 * Share of the time between look-ups by which one may come earlier or later, so that gateways do not look all at
 * once.
 */
const jitter = 0.1;

interface LookedUpHost {
  readonly host: string;
  addresses: readonly string[];
  /** Why the last look-up failed; null where it did not. */
  error: string | null;
  /** Look-ups in a row that failed. */
  failures: number;
  /** When the first of them failed; milliseconds since the Unix epoch. */
  failedSinceMs: number | null;
  next: ScheduledTask | null;
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((address, index) => address === other[index]);

/**
 * Looks up the hosts of one upstream again and again. A look-up that fails takes nothing away: the addresses stay those
 * that were found last. An IP address is not looked up.
 */
export class HostLookups {
  readonly #upstream: string;
  readonly #refreshMs: number;
  readonly #parts: HostLookupParts;
  readonly #onChange: () => void;
  readonly #names = new Map<string, LookedUpHost>();
  #isStopped = false;

  constructor(
    upstream: string,
    hosts: readonly string[],
    refreshMs: number,
    parts: HostLookupParts,
    onChange: () => void,
  ) {
    this.#upstream = upstream;
    this.#refreshMs = refreshMs;
    this.#parts = parts;
    this.#onChange = onChange;
    for (const host of hosts) {
      if (parseIpAddress(host) !== null) continue;
      this.#names.set(host, {
        host,
        addresses: parts.known.of(host),
        error: null,
        failures: 0,
        failedSinceMs: null,
        next: null,
      });
    }
  }

  /** Resolves when every name has been looked up once, and at the latest after two seconds. */
  start(): Promise<void> {
    const first = [...this.#names.values()].map((host) => this.#lookUp(host));
    if (first.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const late = this.#parts.scheduler.after(startWaitMs, resolve);
      void Promise.all(first).then(() => {
        late.cancel();
        resolve();
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const { next } of this.#names.values()) next?.cancel();
  }

  addressesOf(host: string): readonly string[] {
    return this.#names.get(host)?.addresses ?? [host];
  }

  /** Why a host has no address. */
  errorOf(host: string): string {
    return this.#names.get(host)?.error ?? 'not looked up yet';
  }

  /**
   * Since when a host cannot be looked up, in milliseconds since the Unix epoch; null where it can be, or was not
   * yet.
   */
  failedSinceMs(host: string): number | null {
    return this.#names.get(host)?.failedSinceMs ?? null;
  }

  async #lookUp(host: LookedUpHost): Promise<void> {
    host.next = null;
    const result = await this.#parts.resolver.resolve(host.host);
    if (this.#isStopped) return;
    this.#note(host, result);
    const { scheduler, random } = this.#parts;
    const backoffMs = firstRetryMs * 2 ** Math.min(host.failures - 1, 30);
    const waitMs = host.failures === 0 ? this.#refreshMs : Math.min(this.#refreshMs, backoffMs);
    const delayMs = waitMs * (1 + jitter * (2 * random.fraction() - 1));
    host.next = scheduler.after(delayMs, () => void this.#lookUp(host));
  }

  #note(host: LookedUpHost, result: Result<readonly string[], string>): void {
    const { logger, known, clock } = this.#parts;
    const fields = { upstream: this.#upstream, host: host.host };
    const error = !result.ok ? result.error : result.value.length === 0 ? 'no address' : null;
    if (!result.ok || error !== null) {
      if (host.failures === 0) logger.warn('Host of a target cannot be looked up', { ...fields, error });
      host.failures += 1;
      host.failedSinceMs ??= clock.wallMs();
      host.error = error;
      return;
    }
    if (host.failures > 0) logger.info('Host of a target can be looked up again', fields);
    host.failures = 0;
    host.failedSinceMs = null;
    host.error = null;
    const addresses = result.value.slice(0, maximumAddresses);
    if (isSame(addresses, host.addresses)) return;
    if (host.addresses.length > 0) logger.info('Addresses of a target have changed', { ...fields, addresses });
    if (result.value.length > maximumAddresses) {
      logger.warn('Host of a target has more addresses than are used', { ...fields, count: result.value.length });
    }
    host.addresses = addresses;
    known.note(host.host, addresses);
    this.#onChange();
  }
}
