import { type ConfigurationProblem, unplacedProblem } from '../../domain/configuration/configuration-problem.js';
import type {
  GatewayConfiguration,
  ListenerTimeouts,
  SocketAddress,
} from '../../domain/configuration/gateway-configuration.js';
import { type CidrSet, compileCidrs } from '../../domain/http/cidr-set.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { MemoryGuard } from '../guard-memory/memory-guard.js';
import type { RateLimiters } from '../limit-rate/rate-limiters.js';
import type { AgentClient } from '../ports/agent-client.js';
import type { ConfigurationSource } from '../ports/configuration-source.js';
import type { OpenListener, RequestHandler, TlsContext } from '../ports/http-engine.js';
import type { Logger } from '../ports/logger.js';
import type { Random } from '../ports/random.js';
import type { Tracer, TracerFactory } from '../ports/tracer.js';
import { certificateHeaderRules } from '../proxy-request/certificate-header-rules.js';
import { compileGateway, type StageDependencies } from '../proxy-request/compile-gateway.js';
import { RequestTracing } from '../trace-requests/request-tracing.js';
import { UpstreamTargets, type UpstreamTargetsParts } from '../upstream-targets/upstream-targets.js';
import type { AgentRegistry } from './agent-registry.js';
import { Generation } from './generation.js';
import {
  type ListenerRegistry,
  listenerKey,
  type PreparedListeners,
  type WantedListener,
} from './listener-registry.js';
import { type ListenerTlsParts, prepareListenerTls } from './prepare-listener-tls.js';
import type { RunningState } from './running-state.js';
import { stopOnceUnused } from './stop-once-unused.js';

export interface GatewayDependencies {
  readonly source: ConfigurationSource;
  readonly agents: AgentRegistry;
  readonly listeners: ListenerRegistry;
  readonly listenerTls: ListenerTlsParts;
  readonly state: RunningState;
  readonly stages: StageDependencies;
  readonly upstreamTargets: UpstreamTargetsParts;
  readonly rateLimiters: RateLimiters;
  readonly memory: MemoryGuard;
  readonly createTracer: TracerFactory;
  readonly random: Random;
  readonly proxy: RequestHandler;
  readonly admin: RequestHandler;
  readonly logger: Logger;
  /** What the instance is called where the configuration does not say. */
  readonly hostName: string;
}

/** Why a configuration did not come into force. */
export interface LoadFailure {
  readonly problems: readonly ConfigurationProblem[];
  /** What failed although the file is right: an address that is taken, an agent that refuses. Null otherwise. */
  readonly reason: string | null;
  /** The error behind the reason, where the system gave one. */
  readonly cause: unknown;
}

export interface ListeningAddresses {
  /** By listener name. */
  readonly listeners: ReadonlyMap<string, SocketAddress>;
  readonly admin: SocketAddress | null;
}

/** What the admin address is called among the listeners. */
const adminName = 'admin';

/** How long clients of the admin address are waited for. */
const adminTimeouts: ListenerTimeouts = {
  headMs: 60_000,
  bodyMs: 60_000,
  minBodyOctetsPerSecond: 240,
  idleMs: 75_000,
};

/** What connections to upstreams have to end in, once no client waits for them; milliseconds. */
const closeGraceMs = 1_000;

/** The gateway: brings configurations into force one after the other, and ends. */
export class Gateway {
  readonly #dependencies: GatewayDependencies;
  /** One load at a time: a second signal waits for the first. */
  #loading: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | null = null;

  constructor(dependencies: GatewayDependencies) {
    this.#dependencies = dependencies;
  }

  /** Loads the configuration and begins to serve. */
  async start(): Promise<Result<ListeningAddresses, LoadFailure>> {
    const loaded = await this.#load();
    if (!loaded.ok) return loaded;
    this.#dependencies.state.enter('running');
    return ok(this.addresses());
  }

  /** Loads the configuration anew and swaps it in at once; any error changes nothing. */
  reload(): Promise<Result<void, LoadFailure>> {
    const { state } = this.#dependencies;
    const next = this.#loading.then(() => (state.phase() === 'running' ? this.#reload() : ok(undefined)));
    this.#loading = next;
    return next;
  }

  /**
   * Takes no new connection, lets requests in flight finish within the grace, then closes everything. Asked again, it
   * waits for the same end.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  addresses(): ListeningAddresses {
    const { state, listeners } = this.#dependencies;
    const open = new Map(listeners.open().map((listener) => [listener.key, listener.address()]));
    const { listeners: configured, admin } = state.configuration();
    return {
      listeners: new Map(
        configured.map(({ name, address }) => [name, open.get(listenerKey(address, name)) ?? address]),
      ),
      admin: admin === null ? null : (open.get(listenerKey(admin.address, adminName)) ?? admin.address),
    };
  }

  async #stop(graceMs: number): Promise<void> {
    const { state, listeners, agents } = this.#dependencies;
    state.enter('draining');
    await this.#loading;
    const admin = state.configuration().admin;
    const adminKey = admin && listenerKey(admin.address, adminName);
    const open = listeners.open();
    // The admin address answers until the end, so that whoever watches the drain can see it.
    await Promise.all(open.filter(({ key }) => key !== adminKey).map((listener) => listener.drain(graceMs)));
    await Promise.all(open.filter(({ key }) => key === adminKey).map((listener) => listener.drain(0)));
    await Promise.all(agents.clients().map((client) => client.stop(0)));
    this.#dependencies.memory.stop();
    await state.current().close(closeGraceMs);
  }

  async #reload(): Promise<Result<void, LoadFailure>> {
    const { logger, stages } = this.#dependencies;
    const outcome = await this.#load();
    stages.metrics.configurationReloaded(outcome.ok ? 'success' : 'failure');
    if (outcome.ok) logger.info('the configuration was reloaded');
    return outcome;
  }

  /** Whatever goes wrong is a failure to load, never an end of what runs. */
  async #load(): Promise<Result<void, LoadFailure>> {
    try {
      return await this.#bringIntoForce();
    } catch (cause) {
      return err({ problems: [], reason: 'the configuration cannot be brought into force', cause });
    }
  }

  async #bringIntoForce(): Promise<Result<void, LoadFailure>> {
    const { source, agents, listeners, state, stages, logger } = this.#dependencies;
    const { configuration, problems } = await source.load();
    if (configuration === null) return err({ problems, reason: null, cause: null });
    for (const { severity, message, position } of problems) {
      if (severity === 'warning') logger.warn(message, { file: position?.file ?? null, line: position?.line ?? null });
    }
    const failure = (reason: string, cause: unknown = null) => err({ problems, reason, cause });

    const tls = await prepareListenerTls(configuration.listeners, this.#dependencies.listenerTls);
    if (!tls.ok)
      return err({
        problems: [...problems, ...tls.error.map((message) => unplacedProblem('error', message))],
        reason: null,
        cause: null,
      });
    for (const warning of tls.value.warnings) logger.warn(warning);
    const { maxAgentQueueDepth: maxQueueDepth, maxAgentResponseBytes: maxResponseBytes } = configuration.limits;
    const prepared = await agents.prepare(configuration.agents, { maxQueueDepth, maxResponseBytes });
    if (!prepared.ok) return failure(prepared.error);
    const generation = await this.#build(configuration, prepared.value.clients);
    if (!generation.ok) {
      await prepared.value.abandon();
      return failure(generation.error);
    }
    // The first generation is in force before the first listener takes a connection.
    const first = state.phase() === 'starting';
    if (first) {
      state.replace(generation.value, stages.clock.wallMs());
      this.#enforce(generation.value);
    }
    let bound: PreparedListeners;
    try {
      bound = await listeners.prepare(this.#wanted(configuration, tls.value.contexts));
    } catch (error) {
      await Promise.all([prepared.value.abandon(), generation.value.close(0)]);
      return failure('an address cannot be listened on', error);
    }
    // From here on nothing can fail, and nothing waits: the swap is one step for every request.
    const previous = first ? null : state.replace(generation.value, stages.clock.wallMs());
    const droppedAgents = prepared.value.commit();
    const { gracefulShutdownTimeoutMs } = (previous ?? generation.value).configuration.system;
    const droppedListeners = bound.commit(gracefulShutdownTimeoutMs);
    if (previous) this.#enforce(generation.value);
    stages.metrics.nameInstance(configuration.system.instance ?? this.#dependencies.hostName);
    if (previous) void this.#retire(previous, droppedAgents, droppedListeners);
    return ok(undefined);
  }

  #wanted(configuration: GatewayConfiguration, contexts: ReadonlyMap<string, TlsContext>): readonly WantedListener[] {
    const { proxy, admin } = this.#dependencies;
    const wanted: WantedListener[] = configuration.listeners.map(({ name, address, timeouts }) => ({
      key: listenerKey(address, name),
      address,
      handler: proxy,
      timeouts,
      tls: contexts.get(name) ?? null,
    }));
    if (configuration.admin) {
      const { address } = configuration.admin;
      wanted.push({
        key: listenerKey(address, adminName),
        address,
        handler: admin,
        timeouts: adminTimeouts,
        tls: null,
      });
    }
    return wanted;
  }

  /** What holds for the gateway as a whole, and what a configuration may do only in force. */
  #enforce({ configuration: { limits, routes }, breakers, upstreams }: Generation): void {
    const { stages, memory } = this.#dependencies;
    stages.admissions.limit(limits);
    stages.admissions.keepRoutes(new Set(routes.map(({ id }) => id)));
    stages.routeBreakers.adopt(breakers);
    memory.limit(limits);
    for (const targets of upstreams.values()) targets.takeOver();
  }

  async #build(
    configuration: GatewayConfiguration,
    agents: ReadonlyMap<string, AgentClient>,
  ): Promise<Result<Generation, string>> {
    const listeners = new Map(
      configuration.listeners.map((listener) => [listenerKey(listener.address, listener.name), listener]),
    );
    const trustedProxies = new Map<string, CidrSet>();
    for (const [key, { name, trustedProxies: blocks }] of listeners) {
      const cidrs = compileCidrs(blocks);
      if (!cidrs.ok) return err(`listener "${name}": ${cidrs.error}`);
      trustedProxies.set(key, cidrs.value);
    }
    const { upstreamTargets, rateLimiters, stages } = this.#dependencies;
    const { limits } = configuration;
    const limiter = await rateLimiters.use(limits.rateLimitStore);
    const tracer = await this.#tracer(configuration);
    const idleLimit = limits.maxIdleConnectionsPerUpstream;
    const upstreams = new Map(
      configuration.upstreams.map((upstream) => [
        upstream.name,
        new UpstreamTargets(upstream, idleLimit, upstreamTargets),
      ]),
    );
    const compiled = compileGateway(configuration, { agents, upstreams, limiter: limiter.limiter }, stages);
    if (!compiled.ok) {
      const opened = [...upstreams.values()].map((targets) => targets.close(0));
      await Promise.all([...opened, limiter.release(), tracer?.stop(0)]);
      return compiled;
    }
    await Promise.all([...upstreams.values()].map((targets) => targets.start()));
    const tracing = tracer && this.#tracing(configuration, tracer);
    const certificateHeaders = certificateHeaderRules(listeners);
    const parts = { upstreams, trustedProxies, certificateHeaders, limiter, tracer, tracing };
    return ok(new Generation(configuration, compiled.value, parts));
  }

  async #tracer({ tracing, system }: GatewayConfiguration): Promise<Tracer | null> {
    const { createTracer, hostName, state } = this.#dependencies;
    if (tracing === null) return null;
    return createTracer(tracing, { instance: system.instance ?? hostName, version: state.identity.version });
  }

  #tracing({ tracing }: GatewayConfiguration, tracer: Tracer): RequestTracing | null {
    return tracing && new RequestTracing(tracer, tracing.sampleRatio, this.#dependencies.random);
  }

  async #retire(
    previous: Generation,
    agents: readonly AgentClient[],
    listeners: readonly OpenListener[],
  ): Promise<void> {
    const { state, stages, logger } = this.#dependencies;
    const graceMs = previous.configuration.system.gracefulShutdownTimeoutMs;
    for (const targets of previous.upstreams.values()) targets.stopLooking();
    try {
      const emptied = previous.emptied();
      const agentsEnded = stopOnceUnused(agents, emptied, graceMs, stages.scheduler);
      await Promise.all(listeners.map((listener) => listener.drain(graceMs)));
      await Promise.all([emptied, agentsEnded]);
      await previous.close(closeGraceMs);
    } catch (error) {
      logger.warn('what the old configuration used could not be closed', { error: String(error) });
    }
    state.retired(previous);
  }
}
