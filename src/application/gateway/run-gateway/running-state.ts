import type { AgentMetricFamily } from '../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type {
  GatewayConfiguration,
  RouteConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { CertificateExpiry } from '../../../domain/gateway/status/certificate-expiry.js';
import type { AgentStatus } from '../../ports/gateway/agent-client.js';
import type { PoolFigures, ProcessGauges } from '../../ports/gateway/gateway-metrics.js';
import type {
  GatewayPhase,
  GatewayState,
  MemoryLimitStatus,
  ProgramIdentity,
  ReloadFigures,
  TargetChange,
  UpstreamStatus,
  WorkerFigures,
} from '../../ports/gateway/gateway-state.js';
import type { ProcessFigures } from '../../ports/gateway/process-figures.js';
import type { RequestAdmissions } from '../admit/request-admissions.js';
import { sumPools } from '../choose-upstream/pool-exhaustion.js';
import type { RouteBreakers } from '../circuit-breakers/route-breakers.js';
import type { MemoryGuard } from '../guard-resources/memory-guard.js';
import type { RateLimiterPool } from '../limit-rate/rate-limiter-pool.js';
import type { AgentRegistry } from './agent-registry.js';
import type { Generation } from './generation.js';
import { type ListenerRegistry, listenerKey } from './listener-registry.js';

/** The parts that govern requests over all configurations. */
export interface Traffic {
  readonly admissions: RequestAdmissions;
  readonly breakers: RouteBreakers;
  readonly rateLimiters: RateLimiterPool;
  readonly memory: MemoryGuard;
}

/** The number of this worker, and its reload figures when it starts. */
export interface InitialWorkerState {
  /** Number of the worker; 0: it is the only process. */
  readonly worker: number;
  /** The reloads before it started, if it joins a running gateway; null otherwise. */
  readonly reloads: ReloadFigures | null;
}

/** Number of log lines that were lost so far. */
export interface DroppedLines {
  accessLines(): number;
  auditRecords(): number;
}

/** The state of the gateway, read by its endpoints and gauges, written by start, reload and stop. */
export class RunningState implements GatewayState, ProcessGauges {
  readonly identity: ProgramIdentity;
  readonly #agents: AgentRegistry;
  readonly #listeners: ListenerRegistry;
  readonly #figures: ProcessFigures;
  readonly #traffic: Traffic;
  readonly #dropped: DroppedLines;
  #phase: GatewayPhase = 'starting';
  #endsConnections = false;
  #haveAgentsStarted = false;
  #generation: Generation | null = null;
  /** Replaced generations that are not yet closed. */
  readonly #retiring = new Set<Generation>();
  readonly #initial: InitialWorkerState;
  #reloads: ReloadFigures;

  constructor(
    identity: ProgramIdentity,
    agents: AgentRegistry,
    listeners: ListenerRegistry,
    figures: ProcessFigures,
    traffic: Traffic,
    dropped: DroppedLines,
    initial: InitialWorkerState = { worker: 0, reloads: null },
  ) {
    this.identity = identity;
    this.#agents = agents;
    this.#listeners = listeners;
    this.#figures = figures;
    this.#traffic = traffic;
    this.#dropped = dropped;
    this.#initial = initial;
    this.#reloads = initial.reloads ?? { count: 0, lastLoadMs: identity.startedAtMs };
  }

  /** The generation that new requests enter. */
  current(): Generation {
    if (this.#generation === null) throw new Error('the gateway has no configuration yet');
    return this.#generation;
  }

  /** Puts a generation in force, and returns the previous one; null: it is the first. */
  replace(next: Generation, nowMs: number): Generation | null {
    const previous = this.#generation;
    next.closing = this.#endsConnections;
    this.#generation = next;
    if (previous) this.#retiring.add(previous);
    if (previous) this.#reloads = { count: this.#reloads.count + 1, lastLoadMs: nowMs };
    else this.#reloads = this.#initial.reloads ?? { count: 0, lastLoadMs: nowMs };
    return previous;
  }

  retired(generation: Generation): void {
    this.#retiring.delete(generation);
  }

  enter(phase: GatewayPhase): void {
    this.#phase = phase;
  }

  /** Makes every response close its connection from now on. */
  endConnections(): void {
    this.#endsConnections = true;
    if (this.#generation) this.#generation.closing = true;
  }

  phase(): GatewayPhase {
    return this.#phase;
  }

  reloads(): ReloadFigures {
    return this.#reloads;
  }

  configuration(): GatewayConfiguration {
    return this.current().configuration;
  }

  routesInOrder(): readonly RouteConfiguration[] {
    return this.current().routes.map(({ configuration }) => configuration);
  }

  connections(): readonly { readonly listener: string; readonly open: number }[] {
    const open = new Map(this.#listeners.open().map((listener) => [listener.key, listener.connections()]));
    return this.configuration().listeners.map(({ name, address }) => ({
      listener: name,
      open: open.get(listenerKey(address, name)) ?? 0,
    }));
  }

  openConnections(): number {
    return this.connections().reduce((sum, { open }) => sum + open, 0);
  }

  requestsInFlight(): number {
    let sum = this.#generation?.inFlight ?? 0;
    for (const generation of this.#retiring) sum += generation.inFlight;
    return sum;
  }

  requestsInFlightByRoute(): readonly { readonly route: string; readonly inFlight: number }[] {
    return this.current().routes.map(({ configuration, inFlight }) => ({ route: configuration.id, inFlight }));
  }

  /** Requests that queue for a concurrency slot, an agent, or an upstream connection. */
  requestsQueued(): number {
    let sum = this.#traffic.admissions.queued;
    for (const { queueDepth } of this.agents()) sum += queueDepth;
    for (const { waiting } of this.pools()) sum += waiting;
    return sum;
  }

  agents(): readonly AgentStatus[] {
    const statuses = this.#agents.clients().map((client) => client.status());
    if (this.#phase !== 'starting' && !statuses.some(({ isStarting }) => isStarting)) this.#haveAgentsStarted = true;
    // A new agent of a reload must not make a serving gateway unready.
    return this.#haveAgentsStarted ? statuses.map(({ isStarting: _, ...status }) => status) : statuses;
  }

  upstreams(): readonly UpstreamStatus[] {
    return [...this.current().upstreams].map(([name, targets]) => ({ name, targets: targets.statuses() }));
  }

  /** Includes the pools of replaced generations until they are closed. */
  pools(): readonly PoolFigures[] {
    const generations = [this.current(), ...this.#retiring];
    return sumPools(generations.flatMap(({ upstreams }) => [...upstreams.values()].flatMap((each) => each.pools())));
  }

  routeBreakers(): readonly { readonly route: string; readonly state: CircuitState }[] {
    return this.#traffic.breakers.states();
  }

  rateLimiterKeys(): Readonly<Record<string, number>> {
    return this.#traffic.rateLimiters.heldBuckets();
  }

  isRateLimitStoreUp(): boolean {
    return this.#traffic.rateLimiters.isStoreUp();
  }

  certificates(): readonly CertificateExpiry[] {
    return this.current().certificates.expiries();
  }

  memoryLimit(): MemoryLimitStatus | null {
    return this.#traffic.memory.status();
  }

  drainTarget(upstream: string, address: string, drained: boolean): TargetChange {
    const targets = this.current().upstreams.get(upstream);
    if (targets === undefined) return 'no_upstream';
    return drained ? targets.drain(address) : targets.undrain(address);
  }

  memoryBytes(): number {
    return this.#figures.residentBytes();
  }

  droppedAccessLines(): number {
    return this.#dropped.accessLines();
  }

  droppedAuditRecords(): number {
    return this.#dropped.auditRecords();
  }

  /** Makes the embedded agents report their metrics now. */
  askAgentsToReport(): void {
    for (const client of this.#agents.clients()) client.reportNow();
  }

  agentFamilies(): readonly AgentMetricFamily[] {
    this.askAgentsToReport();
    return this.#agents.metrics.families();
  }

  droppedAgentSeries(): readonly { readonly agent: string; readonly count: number }[] {
    return this.#agents.metrics.dropped();
  }

  workers(): readonly WorkerFigures[] {
    return [
      {
        id: this.#initial.worker,
        pid: this.#figures.pid,
        connections: this.openConnections(),
        requestsInFlight: this.requestsInFlight(),
        memory: this.#figures.memory(),
        eventLoopDelay: this.#figures.eventLoopDelay(),
        unhealthyTargets: this.upstreams().flatMap(({ name, targets }) =>
          targets.filter(({ healthy }) => !healthy).map(({ address }) => ({ upstream: name, address })),
        ),
      },
    ];
  }

  /** Empty, because this process answers itself. */
  missingWorkers(): readonly [] {
    return [];
  }
}
