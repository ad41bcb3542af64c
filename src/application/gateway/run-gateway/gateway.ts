import { type ConfigurationProblem, unplacedProblem } from '../../../domain/configuration/configuration-problem.js';
import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { AgentClient } from '../../ports/gateway/agent-client.js';
import type { OpenListener } from '../../ports/gateway/http-engine.js';
import { nativeSocketsMissing } from '../../ports/shared/socket-layer-choice.js';
import type { PreparedAudit } from '../audit/audit-trail.js';
import type { PreparedAgents } from './agent-registry.js';
import { buildGeneration, type GenerationInputs } from './build-generation.js';
import { AgentCertificateFiles, CertificatesInUse } from './certificates-in-use.js';
import type { GatewayServices } from './gateway-services.js';
import type { Generation } from './generation.js';
import type { PreparedListeners } from './listener-registry.js';
import { prepareListenerTls } from './prepare-listener-tls.js';
import { prepareRouteFiles } from './prepare-route-files.js';
import { prepareUpstreamTls } from './prepare-upstream-tls.js';
import { eitherOnce, type LoadFailure, loadFailure, type PreparedReload } from './prepared-reload.js';
import { atOnce, type StopManner, stopOnceUnused } from './stop-once-unused.js';
import { adminListenerKey, type ListeningAddresses, listeningAddresses, wantedListeners } from './wanted-listeners.js';

/** Makes a prepared gateway accept connections. Call it once. */
export type BeginServing = () => Promise<Result<ListeningAddresses, LoadFailure>>;

/** The open resources of a configuration that is not yet in force. */
interface Prepared {
  readonly generation: Generation;
  readonly agents: PreparedAgents;
  readonly listeners: PreparedListeners;
  readonly audit: PreparedAudit;
}

/** The grace period for connections to upstreams without a waiting client; milliseconds. */
const closeGraceMs = 1_000;
const cannotListen = 'the gateway cannot listen on an address';

/** The gateway: starts, puts configurations in force one after the other, and stops. */
export class Gateway {
  readonly #services: GatewayServices;
  /** The load in progress. Loads run one after the other. */
  #loading: Promise<unknown> = Promise.resolve();
  /** The reload that waits to be committed. */
  #prepared: PreparedReload | null = null;
  #stopped: Promise<void> | null = null;

  constructor(services: GatewayServices) {
    this.#services = services;
  }

  /** Loads the configuration and begins to serve. See `prepareStart`. */
  async start(inForce?: () => void): Promise<Result<ListeningAddresses, LoadFailure>> {
    const prepared = await this.prepareStart(inForce);
    return prepared.ok ? prepared.value() : prepared;
  }

  /**
   * Does the slow part of a start, and returns the function that begins to serve. Until then no connection is accepted.
   * `inForce` is called when the configuration is in force.
   */
  async prepareStart(inForce: () => void = () => undefined): Promise<Result<BeginServing, LoadFailure>> {
    const loaded = await this.#load(inForce);
    return loaded.ok ? ok(() => this.#serve(loaded.value)) : loaded;
  }

  /** Loads the configuration again and puts it in force in one step. An error changes nothing. */
  reload(): Promise<Result<void, LoadFailure>> {
    const { state } = this.#services;
    const next = this.#loading.then(() => (state.phase() === 'running' ? this.#reload() : ok(undefined)));
    this.#loading = next;
    return next;
  }

  /** Does the part of a reload that takes time or can fail. Other loads wait until it is committed or abandoned. */
  prepareReload(): Promise<Result<PreparedReload, LoadFailure>> {
    const prepared = this.#loading.then(() => this.#prepareReload());
    this.#loading = prepared.then(({ reload, settled }) => (reload.ok ? settled : undefined));
    return prepared.then(({ reload }) => reload);
  }

  /**
   * Accepts no new connections, lets requests in flight finish within the grace period, then closes everything. Further
   * calls wait for the same end.
   */
  stop(graceMs: number, manner: StopManner = atOnce): Promise<void> {
    this.#stopped ??= this.#stop(graceMs, manner);
    return this.#stopped;
  }

  addresses(): ListeningAddresses {
    const { state, listeners } = this.#services;
    return listeningAddresses(state.configuration(), listeners.open());
  }

  async #serve(prepared: Prepared): Promise<Result<ListeningAddresses, LoadFailure>> {
    const { state, audit } = this.#services;
    try {
      await prepared.listeners.listen();
    } catch (cause) {
      const failure = loadFailure(cannotListen, cause);
      audit.act('configuration', 'refused', { reason: failure.reason, problems: 0 });
      await this.#abandon(prepared);
      return err(failure);
    }
    this.#bringIntoForce(prepared);
    state.enter('running');
    audit.act('gateway', 'started');
    return ok(this.addresses());
  }

  async #stop(graceMs: number, { delayMs, isReplaced }: StopManner): Promise<void> {
    const { state, listeners, agents, stages, audit } = this.#services;
    state.enter(isReplaced ? 'replaced' : 'draining');
    audit.act('gateway', isReplaced ? 'upgraded' : 'draining');
    if (delayMs > 0) await new Promise<void>((resolve) => stages.scheduler.after(delayMs, resolve));
    state.endConnections();
    await this.#prepared?.abandon();
    await this.#loading;
    const adminKey = isReplaced ? null : adminListenerKey(state.configuration());
    const open = listeners.open();
    // The admin address answers until the end, so that the drain can be observed. After a replacement it belongs to the
    // successor.
    await Promise.all(
      open.filter(({ key }) => key !== adminKey).map((listener) => listener.drain(graceMs, isReplaced)),
    );
    await Promise.all(open.filter(({ key }) => key === adminKey).map((listener) => listener.drain(0)));
    await Promise.all(agents.clients().map((client) => client.stop(0)));
    this.#services.memory.stop();
    stages.descriptors.stop();
    await state.current().close(closeGraceMs);
    audit.act('gateway', 'stopped');
    await audit.close();
  }

  async #reload(): Promise<Result<void, LoadFailure>> {
    const { logger, stages } = this.#services;
    const outcome = await this.#load();
    if (outcome.ok) this.#bringIntoForce(outcome.value);
    stages.metrics.configurationReloaded(outcome.ok ? 'success' : 'failure');
    if (!outcome.ok) return outcome;
    logger.info('the configuration was reloaded');
    return ok(undefined);
  }

  async #prepareReload(): Promise<{
    readonly reload: Result<PreparedReload, LoadFailure>;
    readonly settled: Promise<void>;
  }> {
    const { state } = this.#services;
    let resolve: () => void = () => undefined;
    const settled = new Promise<void>((settle) => {
      resolve = settle;
    });
    const drains = { reload: err(loadFailure('the gateway is draining')), settled };
    if (state.phase() !== 'running') return drains;
    const loaded = await this.#load();
    if (!loaded.ok) return { reload: loaded, settled };
    const reload = eitherOnce(
      () => this.#bringIntoForce(loaded.value),
      () => this.#abandon(loaded.value),
      () => {
        this.#prepared = null;
        resolve();
      },
    );
    // A drain that began meanwhile must not wait for a commit.
    if (state.phase() !== 'running') {
      await reload.abandon();
      return drains;
    }
    this.#prepared = reload;
    return { reload: ok(reload), settled };
  }

  async #abandon({ generation, agents, listeners, audit }: Prepared): Promise<void> {
    await Promise.all([agents.abandon(), generation.close(0), listeners.abandon(), audit.abandon()]);
    await this.#keepSocketLayer();
  }

  /** Turns every error into a load failure, so that the running configuration stays. */
  async #load(inForce: () => void = () => undefined): Promise<Result<Prepared, LoadFailure>> {
    const loaded = await this.#prepare(inForce).catch((cause: unknown) =>
      err(loadFailure('the configuration cannot be brought into force', cause)),
    );
    if (!loaded.ok) {
      const { reason, problems } = loaded.error;
      await this.#keepSocketLayer();
      this.#services.audit.act('configuration', 'refused', { reason, problems: problems.length });
    }
    return loaded;
  }

  /** A load that does not come into force leaves the layer as it was. */
  async #keepSocketLayer(): Promise<void> {
    const { state, socketLayers } = this.#services;
    if (state.phase() === 'running') await socketLayers.choose(state.configuration().system.sockets);
  }

  async #prepare(inForce: () => void): Promise<Result<Prepared, LoadFailure>> {
    const { source, agents, listeners, state, stages } = this.#services;
    const { configuration, problems } = await source.load();
    if (configuration === null) return err({ problems, reason: null, cause: null });
    this.#logWarnings(problems);
    const tooFew = stages.descriptors.warning(configuration);
    if (tooFew !== null) this.#services.loadLogger.warn(tooFew);
    const layer = await this.#services.socketLayers.choose(configuration.system.sockets);
    if (!layer.ok) return err({ problems, reason: nativeSocketsMissing(layer.error), cause: null });
    // An unchanged `auto` has logged it before.
    const wasAuto = state.phase() !== 'starting' && state.configuration().system.sockets === 'auto';
    if (layer.value !== null && !wasAuto)
      this.#services.loadLogger.warn('connections use node:net, which costs more CPU', { reason: layer.value });
    const tls = await prepareListenerTls(configuration.listeners, this.#services.listenerTls);
    if (!tls.ok) {
      const found = tls.error.map((message) => unplacedProblem('error', message));
      return err({ problems: [...problems, ...found], reason: null, cause: null });
    }
    const upstreamTls = await prepareUpstreamTls(configuration.upstreams, this.#services.upstreamTls);
    if (!upstreamTls.ok) {
      const found = upstreamTls.error.map((message) => unplacedProblem('error', message));
      return err({ problems: [...problems, ...found], reason: null, cause: null });
    }
    const routeFiles = await prepareRouteFiles(configuration, this.#services.files);
    if (!routeFiles.ok) {
      const found = routeFiles.error.map((message) => unplacedProblem('error', message));
      return err({ problems: [...problems, ...found], reason: null, cause: null });
    }
    for (const warning of [...tls.value.warnings, ...upstreamTls.value.warnings]) {
      this.#services.loadLogger.warn(warning);
    }
    const { maxAgentQueueDepth: maxQueueDepth, maxAgentResponseBytes: maxResponseBytes } = configuration.limits;
    const prepared = await agents.prepare(configuration.agents, { maxQueueDepth, maxResponseBytes });
    if (!prepared.ok) return err({ problems, reason: prepared.error, cause: null });
    const agentCertificates = new AgentCertificateFiles(configuration.agents, this.#services.agentCertificates);
    await agentCertificates.read();
    const generation = await this.#build(configuration, {
      agents: prepared.value.clients,
      tls: upstreamTls.value.files,
      routeFiles: routeFiles.value,
      certificates: new CertificatesInUse({
        listeners: tls.value.contexts,
        upstreams: upstreamTls.value.files,
        agents: agentCertificates,
      }),
    });
    if (!generation.ok) {
      await prepared.value.abandon();
      return err({ problems, reason: generation.error, cause: null });
    }
    const audit = await this.#services.audit.prepare(configuration.audit);
    if (!audit.ok) {
      await Promise.all([prepared.value.abandon(), generation.value.close(0)]);
      return err({ problems, reason: audit.error, cause: null });
    }
    // The first generation is in force before the first listener accepts a connection.
    if (state.phase() === 'starting') {
      state.replace(generation.value, stages.clock.wallMs());
      this.#enforce(generation.value);
      audit.value.commit();
      inForce();
    }
    try {
      const bound = await listeners.prepare(wantedListeners(configuration, this.#services, tls.value.contexts));
      if (state.phase() !== 'starting') await bound.listen();
      return ok({ generation: generation.value, agents: prepared.value, listeners: bound, audit: audit.value });
    } catch (cause) {
      await Promise.all([prepared.value.abandon(), generation.value.close(0), audit.value.abandon()]);
      return err({ problems, reason: cannotListen, cause });
    }
  }

  /** Puts a configuration in force. It is synchronous and cannot fail, so requests see one step. */
  #bringIntoForce({ generation, agents, listeners, audit }: Prepared): void {
    const { state, stages, hostName } = this.#services;
    const previous = state.phase() === 'starting' ? null : state.replace(generation, stages.clock.wallMs());
    const droppedAgents = agents.commit();
    const { system } = (previous ?? generation).configuration;
    const droppedListeners = listeners.commit(system.gracefulShutdownTimeoutMs);
    if (previous) {
      this.#enforce(generation);
      audit.commit();
    }
    this.#services.audit.act('configuration', 'loaded');
    stages.metrics.nameInstance(generation.configuration.system.instance ?? hostName);
    if (previous) void this.#retire(previous, droppedAgents, droppedListeners);
  }

  #logWarnings(problems: readonly ConfigurationProblem[]): void {
    for (const { severity, message, position } of problems) {
      const fields = { file: position?.file ?? null, line: position?.line ?? null };
      if (severity === 'warning') this.#services.logger.warn(message, fields);
    }
  }

  /** Applies the settings of the whole gateway, and starts the tasks that only a configuration in force may run. */
  #enforce({ configuration: { limits, routes }, breakers, upstreams, certificates }: Generation): void {
    const { stages, memory } = this.#services;
    stages.admissions.limit(limits);
    stages.admissions.keepRoutes(new Set(routes.map(({ id }) => id)));
    stages.routeBreakers.adopt(breakers);
    memory.limit(limits);
    stages.descriptors.start();
    for (const targets of upstreams.values()) targets.activate();
    certificates.watch(stages.scheduler);
  }

  #build(configuration: GatewayConfiguration, inputs: GenerationInputs): Promise<Result<Generation, string>> {
    const { version } = this.#services.state.identity;
    return buildGeneration(configuration, inputs, { ...this.#services, version });
  }

  async #retire(
    previous: Generation,
    agents: readonly AgentClient[],
    listeners: readonly OpenListener[],
  ): Promise<void> {
    const { state, stages, logger } = this.#services;
    const graceMs = previous.configuration.system.gracefulShutdownTimeoutMs;
    for (const targets of previous.upstreams.values()) targets.stopWatching();
    previous.certificates.stopWatching();
    try {
      const emptied = previous.emptied();
      const agentsEnded = stopOnceUnused(agents, emptied, graceMs, stages.scheduler);
      await Promise.all(listeners.map((listener) => listener.drain(graceMs)));
      await Promise.all([emptied, agentsEnded]);
      await previous.close(closeGraceMs);
    } catch (error) {
      logger.warn('resources of the old configuration could not be closed', { error: String(error) });
    }
    state.retired(previous);
  }
}
