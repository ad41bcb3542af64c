import { parseIpAddress } from '../../../domain/http/ip-address.js';
import type { Result } from '../../../domain/shared/result.js';
import type { HostResolver } from '../../ports/gateway/host-resolver.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';

/** Maximum hosts in the cache. Real configurations have fewer. */
const maximumHosts = 10_000;

/** The last known addresses of hosts. It outlives reloads, so that a reload during a DNS outage keeps them. */
export class AddressCache {
  readonly #byHost = new Map<string, readonly string[]>();

  /** Empty: none are known. */
  of(host: string): readonly string[] {
    return this.#byHost.get(host) ?? [];
  }

  note(host: string, addresses: readonly string[]): void {
    // The map is in the order of the last lookup.
    this.#byHost.delete(host);
    this.#byHost.set(host, addresses);
    for (const oldest of this.#byHost.keys()) {
      if (this.#byHost.size <= maximumHosts) return;
      this.#byHost.delete(oldest);
    }
  }
}

interface LookupEnvironment {
  readonly resolver: HostResolver;
  readonly known: AddressCache;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum addresses that the gateway uses of one name. */
export const maximumAddresses = 256;

/** Maximum time that a start waits for lookups; milliseconds. */
const startWaitMs = 2_000;

/** The delay after the first failed lookup; milliseconds. It doubles with each further failure. */
const firstRetryMs = 1_000;

/**
 * The fraction of the interval by which a lookup may be earlier or later, so that many gateways do not query at the
 * same time.
 */
const jitter = 0.1;

interface LookedUpHost {
  readonly host: string;
  addresses: readonly string[];
  /** The failure of the last lookup; null: it succeeded. */
  error: string | null;
  /** Consecutive failed lookups. */
  failures: number;
  /** The time of the first of these failures, in milliseconds since the Unix epoch; null: the last lookup succeeded. */
  failedSinceMs: number | null;
  next: ScheduledTask | null;
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((address, index) => address === other[index]);

/**
 * Resolves the host names of one upstream periodically. After a failed lookup the last addresses stay in use. An IP
 * address needs no lookup.
 */
export class HostLookups {
  readonly #upstream: string;
  readonly #refreshMs: number;
  readonly #environment: LookupEnvironment;
  readonly #onChange: () => void;
  readonly #names = new Map<string, LookedUpHost>();
  #isStopped = false;

  constructor(
    upstream: string,
    hosts: readonly string[],
    refreshMs: number,
    environment: LookupEnvironment,
    onChange: () => void,
  ) {
    this.#upstream = upstream;
    this.#refreshMs = refreshMs;
    this.#environment = environment;
    this.#onChange = onChange;
    for (const host of hosts) {
      if (parseIpAddress(host) !== null) continue;
      this.#names.set(host, {
        host,
        addresses: environment.known.of(host),
        error: null,
        failures: 0,
        failedSinceMs: null,
        next: null,
      });
    }
  }

  /** Resolves when every name has been looked up once, or after two seconds. */
  start(): Promise<void> {
    const first = [...this.#names.values()].map((host) => this.#lookUp(host));
    if (first.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const late = this.#environment.scheduler.after(startWaitMs, resolve);
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

  /** The reason why a host has no address. */
  errorOf(host: string): string {
    return this.#names.get(host)?.error ?? 'not looked up yet';
  }

  /** The time since which lookups of a host fail, in milliseconds since the Unix epoch; null: the last succeeded. */
  failedSinceMs(host: string): number | null {
    return this.#names.get(host)?.failedSinceMs ?? null;
  }

  async #lookUp(host: LookedUpHost): Promise<void> {
    host.next = null;
    const result = await this.#environment.resolver.resolve(host.host);
    if (this.#isStopped) return;
    this.#note(host, result);
    const { scheduler, random } = this.#environment;
    const backoffMs = firstRetryMs * 2 ** Math.min(host.failures - 1, 30);
    const waitMs = host.failures === 0 ? this.#refreshMs : Math.min(this.#refreshMs, backoffMs);
    const delayMs = waitMs * (1 + jitter * (2 * random.fraction() - 1));
    host.next = scheduler.after(delayMs, () => void this.#lookUp(host));
  }

  #note(host: LookedUpHost, result: Result<readonly string[], string>): void {
    const { logger, known, clock } = this.#environment;
    const fields = { upstream: this.#upstream, host: host.host };
    const error = !result.ok ? result.error : result.value.length === 0 ? 'no address' : null;
    if (!result.ok || error !== null) {
      if (host.failures === 0) logger.warn('Host name of a target cannot be resolved', { ...fields, error });
      host.failures += 1;
      host.failedSinceMs ??= clock.wallMs();
      host.error = error;
      return;
    }
    if (host.failures > 0) logger.info('Host name of a target can be resolved again', fields);
    host.failures = 0;
    host.failedSinceMs = null;
    host.error = null;
    const addresses = result.value.slice(0, maximumAddresses);
    if (isSame(addresses, host.addresses)) return;
    if (host.addresses.length > 0) logger.info('Addresses of a target have changed', { ...fields, addresses });
    if (result.value.length > maximumAddresses) {
      logger.warn('Host name of a target has more addresses than the gateway uses', {
        ...fields,
        count: result.value.length,
      });
    }
    host.addresses = addresses;
    known.note(host.host, addresses);
    this.#onChange();
  }
}
