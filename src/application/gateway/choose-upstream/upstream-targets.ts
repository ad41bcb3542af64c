import { isUnixSocket } from '../../../domain/configuration/network-addresses.js';
import { streamAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import type { UpstreamConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { addressOrder } from '../../../domain/gateway/load-balancing/address-order.js';
import type { GatewayMetrics, PoolFigures } from '../../ports/gateway/gateway-metrics.js';
import type { DrainChange, TargetStatus } from '../../ports/gateway/gateway-state.js';
import type { HealthProber } from '../../ports/gateway/health-prober.js';
import type { HostResolver } from '../../ports/gateway/host-resolver.js';
import type { TargetClientFactory } from '../../ports/gateway/upstream-client.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { HealthChecker } from '../check-health/health-checker.js';
import { AcquiredLedgers } from './acquired-ledgers.js';
import type { BalancingRequest, TargetChoice, TargetChooser } from './chosen-target.js';
import {
  ChosenEndpoint,
  type Endpoint,
  type EndpointOwner,
  EndpointPicker,
  type PickedEndpoint,
  sparedMessage,
} from './endpoint.js';
import { type CurrentTlsContext, EndpointSet } from './endpoint-set.js';
import { HostLookups } from './host-lookups.js';
import { PoolExhaustion, poolFigures } from './pool-exhaustion.js';
import type { TargetLedgers } from './target-ledgers.js';

/** A target with a half-open breaker counts as healthy, because it must get the request that probes it. */
const endpointStatus = (endpoint: Endpoint): TargetStatus => {
  const { ledger, text, names, isWell } = endpoint;
  const { health, lastError, ejectedSinceMs } = ledger;
  const breaker = ledger.breaker.state;
  const common = {
    address: text,
    name: names.find((name) => name !== text) ?? null,
    drained: endpoint.isDrained,
    weight: endpoint.configuredWeight,
    breaker,
    activeConnections: ledger.active,
    totalRequests: ledger.totalRequests,
    failedRequests: ledger.failedRequests,
  };
  if (!isWell) return { ...common, healthy: false, lastError: health.lastError, unhealthySinceMs: health.sinceMs };
  if (breaker !== 'open') return { ...common, healthy: true, lastError: null, unhealthySinceMs: null };
  return { ...common, healthy: false, lastError, unhealthySinceMs: ejectedSinceMs };
};

/** The status of each endpoint. A target name without an address counts as unhealthy. */
const targetStatuses = (
  configuration: UpstreamConfiguration,
  endpoints: readonly Endpoint[],
  lookups: HostLookups,
  isDrained: (name: string) => boolean,
): readonly TargetStatus[] => {
  const unresolved = configuration.targets.flatMap(({ address, weight }) =>
    isUnixSocket(address) || lookups.addressesOf(address.host).length > 0 ? [] : [{ address, weight }],
  );
  return [
    ...endpoints.map((endpoint) => endpointStatus(endpoint)),
    ...unresolved.map(({ address, weight }): TargetStatus => {
      const name = streamAddressText(address);
      return {
        address: name,
        name,
        healthy: false,
        drained: isDrained(name),
        weight,
        breaker: null,
        activeConnections: 0,
        totalRequests: 0,
        failedRequests: 0,
        lastError: `${address.host}: ${lookups.errorOf(address.host)}`,
        unhealthySinceMs: lookups.failedSinceMs(address.host),
      };
    }),
  ];
};

/** The hosts of targets; a unix socket has none. */
const hostsOf = (targets: UpstreamConfiguration['targets']): readonly string[] =>
  targets.flatMap(({ address }) => (isUnixSocket(address) ? [] : [address.host]));

export interface UpstreamTargetsEnvironment {
  /** The ledgers of the gateway. */
  readonly ledgers: TargetLedgers;
  readonly createClient: TargetClientFactory;
  readonly resolver: HostResolver;
  /** Used if the upstream has health checks. */
  readonly prober: HealthProber;
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly metrics: Pick<GatewayMetrics, 'upstream'>;
}

const isIpv6 = ({ address }: Endpoint): boolean => !isUnixSocket(address) && address.host.includes(':');

/** Retry-After while the gateway cannot predict when a target returns; milliseconds. */
const unknownWaitMs = 10_000;

/** Maximum hosts without an address that a detail names. */
const namedHosts = 5;

/**
 * The targets of one upstream of one generation: their addresses, their health, and the choice for each request. It
 * never chooses an endpoint that is unhealthy, drained or ejected. If no endpoint is left and the configuration spares
 * the last target, it ends an ejection.
 */
export class UpstreamTargets implements TargetChooser {
  readonly #configuration: UpstreamConfiguration;
  readonly #tls: CurrentTlsContext | null;
  readonly #environment: UpstreamTargetsEnvironment;
  readonly #ledgers: AcquiredLedgers;
  readonly #lookups: HostLookups;
  readonly #endpoints: EndpointSet;
  readonly #picker: EndpointPicker;
  readonly #checker: HealthChecker | null;
  readonly #endpointOwner: EndpointOwner;

  /**
   * @param idleLimit maximum idle connections of the upstream
   * @param tls null: connections to the upstream have no TLS
   */
  constructor(
    configuration: UpstreamConfiguration,
    idleLimit: number,
    tls: CurrentTlsContext | null,
    environment: UpstreamTargetsEnvironment,
  ) {
    const { name, targets, healthCheck, balancing, stickyCookie, dnsRefreshMs } = configuration;
    const { ledgers, createClient, clock, logger, metrics, random, resolver, scheduler } = environment;
    this.#configuration = configuration;
    this.#tls = tls;
    this.#environment = environment;
    this.#ledgers = new AcquiredLedgers(ledgers, name, {
      breaker: configuration.targetBreaker,
      sparesLast: configuration.sparesLastTarget,
      probe: healthCheck?.probe ?? null,
    });
    this.#endpoints = new EndpointSet(configuration, idleLimit, healthCheck !== null, {
      ledgers: this.#ledgers,
      createClient,
      tls,
      exhaustion: new PoolExhaustion(configuration, { counters: metrics.upstream(name), clock, logger }),
    });
    this.#picker = new EndpointPicker(balancing, stickyCookie, random);
    this.#checker = healthCheck === null ? null : new HealthChecker(name, healthCheck, environment);
    this.#lookups = new HostLookups(
      name,
      hostsOf(targets),
      dnsRefreshMs,
      { resolver, known: ledgers.knownAddresses, random, scheduler, clock, logger },
      () => this.#place(),
    );
    this.#endpointOwner = {
      upstream: name,
      logger,
      isLast: (endpoint) => !this.#endpoints.weighted.some((other) => other !== endpoint && other.isInUse),
      next: (endpoint, request, mayQueue) => this.#next(endpoint, request, mayQueue),
      whenUnused: (endpoint) => this.#endpoints.closeUnused(endpoint),
    };
    this.#place();
  }

  get hasChoice(): boolean {
    return this.#endpoints.weighted.length > 1;
  }

  get connectMs(): number {
    return this.#configuration.timeouts.connectMs;
  }

  hasOther(tried: readonly string[]): boolean {
    return this.#endpoints.weighted.some(({ text }) => !tried.includes(text));
  }

  /** Resolves when the target names have been looked up, successfully or not, or after two seconds. */
  start(): Promise<void> {
    return this.#lookups.start();
  }

  /**
   * Call it when the configuration is in force. Starts health checks, and applies its rules to requests of earlier
   * generations too.
   */
  activate(): void {
    this.#ledgers.activate();
    this.#checker?.start();
    this.#tls?.watch(this.#environment.scheduler, this.#environment.logger);
  }

  choose(request: BalancingRequest): TargetChoice {
    const picked = this.#picker.pick(this.#candidates(request), request) ?? this.#spared(request);
    if (picked === null) return this.#noChoice(request);
    return new ChosenEndpoint(picked.endpoint, picked.responseHeaders, this.#endpointOwner);
  }

  statuses(): readonly TargetStatus[] {
    const isDrained = (name: string): boolean => this.#ledgers.find(name)?.drained === true;
    const { current } = this.#endpoints;
    return targetStatuses(this.#configuration, current, this.#lookups, isDrained);
  }

  pools(): readonly PoolFigures[] {
    return poolFigures(this.#configuration.name, this.#endpoints.all);
  }

  /**
   * Sends no new requests to a target until `undrain`, even after reloads.
   *
   * @param address `host:port` of an endpoint; or a configured name, for all its present and later addresses
   */
  drain(address: string): DrainChange {
    return this.#setDrained(address, true);
  }

  /** Ends `drain` of the same address. An address stays drained while one of its names is drained. */
  undrain(address: string): DrainChange {
    return this.#setDrained(address, false);
  }

  /**
   * Stops lookups and health checks, because a newer generation takes over. Remaining requests use the last known
   * state.
   */
  stopWatching(): void {
    this.#lookups.stop();
    this.#checker?.stop();
    this.#tls?.stopWatching();
  }

  /** Lets requests in flight finish within the grace period, then closes all connections. */
  async close(graceMs: number): Promise<void> {
    this.stopWatching();
    await this.#endpoints.close(graceMs);
    this.#ledgers.releaseAll();
  }

  #place(): void {
    this.#endpoints.replace((host) => this.#lookups.addressesOf(host));
    // Names have ledgers too, because an operator may drain a name that has no address yet.
    const names = this.#configuration.targets.map(({ address }) => streamAddressText(address));
    for (const name of names) this.#ledgers.acquire(name);
    this.#ledgers.trim([...names, ...this.#endpoints.all.map(({ text }) => text)]);
    this.#checker?.watch(this.#endpoints.current);
  }

  #candidates({ tried }: BalancingRequest): readonly Endpoint[] {
    const { weighted } = this.#endpoints;
    for (const endpoint of weighted) {
      if (endpoint.isOpen && (tried.length === 0 || !tried.includes(endpoint.text))) continue;
      return weighted.filter((each) => each.isOpen && !tried.includes(each.text));
    }
    // Usually every endpoint is a candidate, and the list needs no copy.
    return weighted;
  }

  #next(first: Endpoint, request: BalancingRequest, mayQueue: boolean): PickedEndpoint | null {
    const open = addressOrder(first.siblings, first, isIpv6).filter(
      (endpoint) =>
        endpoint !== first && endpoint.isOpen && !endpoint.isRetired && !request.tried.includes(endpoint.text),
    );
    const next = open.find(({ client }) => !client.isFull) ?? (mayQueue ? open[0] : undefined);
    return next === undefined ? null : this.#picker.pick([next], request);
  }

  /**
   * If no endpoint accepts a request, ends the ejection with the shortest remaining time and picks that endpoint. Null:
   * an endpoint accepts requests, or none may be spared.
   */
  #spared(request: BalancingRequest): PickedEndpoint | null {
    const { weighted } = this.#endpoints;
    if (weighted.some(({ isOpen }) => isOpen)) return null;
    const well = weighted.filter(
      ({ isSparedLast, isWell, isDrained, text }) =>
        isSparedLast && isWell && !isDrained && !request.tried.includes(text),
    );
    const [first] = well.toSorted((one, other) => one.ejectedMs - other.ejectedMs);
    if (first === undefined) return null;
    first.ledger.endEjection();
    this.#environment.logger.info(sparedMessage, { upstream: this.#configuration.name, target: first.text });
    return this.#picker.pick([first], request);
  }

  #noChoice({ tried }: BalancingRequest): TargetChoice {
    if (tried.length > 0) return { kind: 'exhausted' };
    if (this.#endpoints.weighted.length > 0) {
      return { kind: 'unhealthy', retryAfterSeconds: Math.max(1, Math.ceil(this.#waitMs() / 1000)) };
    }
    const hosts = new Set(hostsOf(this.#configuration.targets));
    const lost = [...hosts].filter((host) => this.#lookups.addressesOf(host).length === 0);
    const detail = lost
      .slice(0, namedHosts)
      .map((host) => `${host}: ${this.#lookups.errorOf(host)}`)
      .join(', ');
    return { kind: 'unresolved', detail };
  }

  /** Milliseconds until an endpoint may be available again. */
  #waitMs(): number {
    const checkMs = this.#configuration.healthCheck?.intervalMs ?? 0;
    let shortestMs: number | null = null;
    for (const { isDrained, isWell, ejectedMs } of this.#endpoints.weighted) {
      if (isDrained) continue;
      const waitMs = Math.max(isWell ? 0 : checkMs, ejectedMs);
      if (shortestMs === null || waitMs < shortestMs) shortestMs = waitMs;
    }
    return shortestMs ?? unknownWaitMs;
  }

  #setDrained(address: string, drained: boolean): DrainChange {
    const ledger = this.#ledgers.find(address);
    if (ledger === undefined) return 'no_target';
    const wasDrained = ledger.drained;
    ledger.drained = drained;
    if (wasDrained !== drained) {
      const message = drained
        ? 'Target gets no new requests: it is drained'
        : 'Target gets requests again: it is no longer drained';
      this.#environment.logger.info(message, { upstream: this.#configuration.name, target: address });
    }
    const drainedBy = drained ? null : this.#drainedNameOf(address);
    return { drained: drained || drainedBy !== null, drainedBy };
  }

  /** The drained name of an address; null: none is drained. */
  #drainedNameOf(address: string): string | null {
    const endpoint = this.#endpoints.current.find(({ text }) => text.toLowerCase() === address.toLowerCase());
    return endpoint?.names.find((name) => this.#ledgers.find(name)?.drained) ?? null;
  }
}
