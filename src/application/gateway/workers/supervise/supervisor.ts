import type { ConfigurationProblem } from '../../../../domain/configuration/configuration-problem.js';
import type { GatewayConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import { workerCountWarning } from '../../../../domain/gateway/supervision/worker-count.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { LoadedConfiguration } from '../../../ports/gateway/configuration-source.js';
import type { ReloadFigures } from '../../../ports/gateway/gateway-state.js';
import type { AttendedWorker } from '../../../shared/worker-channel/worker-channel.js';
import { lastWriteMs, type PreparedAudit } from '../../audit/audit-trail.js';
import { type LoadFailure, loadFailure } from '../../run-gateway/prepared-reload.js';
import { atOnce, type StopManner } from '../../run-gateway/stop-once-unused.js';
import { type ListeningAddresses, listenerKeys } from '../../run-gateway/wanted-listeners.js';
import { abandonWorkers, commitWorkers, prepareServing, waitForAuditLogs } from './reload-workers.js';
import { SocketSharing } from './socket-sharing.js';
import { SpareProcess } from './spare-process.js';
import type { SupervisorOptions } from './supervisor-options.js';
import { withTimeout } from './with-timeout.js';
import { WorkerSlots } from './worker-slots.js';
import type { ReloadOrder } from './worker-topics.js';

interface InForce {
  readonly configuration: GatewayConfiguration;
  readonly texts: ReadonlyMap<string, string>;
}

const onlyWarnings = (problems: readonly ConfigurationProblem[]): readonly ConfigurationProblem[] =>
  problems.filter(({ severity }) => severity === 'warning');

/**
 * Keeps a fixed number of worker processes serving one configuration. Takes no traffic itself. Reads the configuration
 * once for all workers; it takes effect in all or in none.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: WorkerSlots;
  readonly #spare: SpareProcess;
  readonly #socketSharing: SocketSharing;
  #inForce: InForce | null = null;
  /** Texts that an order has passed to a worker. The first worker logs their warnings. */
  readonly #ordered = new WeakSet<ReadonlyMap<string, string>>();
  #reloads: ReloadFigures;
  #loading: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | null = null;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#reloads = { count: 0, lastLoadMs: options.order.startedAtMs };
    this.#spare = new SpareProcess(options);
    const { order, workers, services, sockets } = options;
    this.#socketSharing = new SocketSharing(sockets);
    this.#slots = new WorkerSlots({
      ...options,
      spare: this.#spare,
      services: [this.#socketSharing, ...services],
      order: (number) => ({
        ...order,
        ...this.#reloadOrder(this.#inForce?.texts ?? new Map()),
        number,
        workers,
        reloads: this.#reloads,
        drainedTargets: options.drainedTargets(),
      }),
    });
  }

  /** All worker processes, including those that do not serve yet. */
  workers(): readonly AttendedWorker[] {
    return this.#slots.present();
  }

  /** How often workers were replaced. */
  get restarts(): number {
    return this.#slots.restarts;
  }

  /** Milliseconds since the last worker served; 0 while one serves. */
  unservedMs(): number {
    return this.#slots.unservedMs() ?? 0;
  }

  kill(): void {
    this.#slots.kill();
    this.#spare.kill();
  }

  reloads(): ReloadFigures {
    return this.#reloads;
  }

  /** The addresses on which the configuration in force is served. */
  addresses(): ListeningAddresses {
    return this.#socketSharing.addresses(this.configuration());
  }

  configuration(): GatewayConfiguration {
    if (this.#inForce === null) throw new Error('the gateway has no configuration yet');
    return this.#inForce.configuration;
  }

  /**
   * Resolves when all workers serve, or with the first failure after all have ended. `first`: the loaded
   * configuration.
   */
  async start(first: LoadedConfiguration): Promise<Result<ListeningAddresses, LoadFailure>> {
    const { audit, clock } = this.#options;
    const started = await this.#start(first);
    if (!started.ok) {
      this.#auditRefusal(started.error);
      await audit.close();
      return started;
    }
    this.#reloads = { count: 0, lastLoadMs: clock.wallMs() };
    audit.act('configuration', 'loaded');
    audit.act('gateway', 'started');
    return started;
  }

  async #start({
    configuration,
    problems,
    texts,
  }: LoadedConfiguration): Promise<Result<ListeningAddresses, LoadFailure>> {
    const { workers, logger } = this.#options;
    if (configuration === null || texts === undefined) return err({ problems, reason: null, cause: null });
    this.#logWarnings(problems);
    const audit = await this.#options.audit.prepare(configuration.audit);
    if (!audit.ok) return err({ problems, reason: audit.error, cause: null });
    this.#adopt({ configuration, texts });
    audit.value.commit();
    const opening = this.#open();
    this.#loading = opening;
    const serving = await opening;
    if (!serving.ok) {
      // Finishes connections that some workers accepted before another failed.
      await this.#end(configuration.system.gracefulShutdownTimeoutMs, atOnce);
      return err({ ...serving.error, problems: [...onlyWarnings(problems), ...serving.error.problems] });
    }
    logger.info('the workers serve', { workers });
    this.#spare.fillLater();
    return serving;
  }

  /** No worker accepts a connection until all are prepared: inherited sockets may already have clients. */
  async #open(): Promise<Result<ListeningAddresses, LoadFailure>> {
    const numbers = Array.from({ length: this.#options.workers }, (_, at) => at + 1);
    const prepared = await Promise.all(numbers.map((number) => this.#slots.open(number)));
    const failed = prepared.find((outcome) => !outcome.ok);
    if (failed !== undefined && !failed.ok) return failed;
    const serving = await Promise.all(prepared.map((outcome) => (outcome.ok ? outcome.value() : outcome)));
    return serving.find((outcome) => !outcome.ok) ?? serving[0] ?? err(loadFailure('there is no worker'));
  }

  /** Reloads the configuration in all workers. An error in any worker changes nothing. */
  reload(): Promise<Result<void, LoadFailure>> {
    const next = this.#loading.then(() => (this.#stopped === null ? this.#reload() : ok(undefined)));
    this.#loading = next;
    return next;
  }

  /**
   * Drains all workers, and kills those that outlive the grace by `endMs`. Idempotent: later calls await the same
   * end.
   */
  stop(graceMs: number, manner: StopManner = atOnce): Promise<void> {
    this.#stopped ??= this.#stop(graceMs, manner);
    return this.#stopped;
  }

  async #stop(graceMs: number, manner: StopManner): Promise<void> {
    const { audit } = this.#options;
    audit.act('gateway', manner.isReplaced ? 'upgraded' : 'draining');
    await this.#end(graceMs, manner);
    audit.act('gateway', 'stopped');
    await audit.close();
  }

  async #reload(): Promise<Result<void, LoadFailure>> {
    const outcome = await this.#loadAndApply();
    this.#options.reloaded(outcome.ok ? 'success' : 'failure');
    if (outcome.ok) this.#options.logger.info('the configuration was reloaded');
    else this.#auditRefusal(outcome.error);
    return outcome;
  }

  async #loadAndApply(): Promise<Result<void, LoadFailure>> {
    const { source, times, workers, cores, logger, scheduler, sockets } = this.#options;
    const { configuration, problems, texts } = await source.load();
    if (configuration === null || texts === undefined) return err({ problems, reason: null, cause: null });
    this.#logWarnings(problems);
    const audit = await this.#options.audit.prepare(configuration.audit);
    if (!audit.ok) return err({ problems, reason: audit.error, cause: null });
    await withTimeout(this.#slots.replacementsSettled(), times.reloadHeartbeatMs, scheduler);
    const next = { configuration, texts };
    const outcome = await (this.#slots.serving().length === 0
      ? this.#restartWith(next, audit.value)
      : this.#swap(next, audit.value));
    // Closes sockets that only the configuration not in force needs.
    sockets.keep(this.#stopped === null ? listenerKeys(this.configuration()) : new Set());
    if (!outcome.ok) {
      await audit.value.abandon();
      return err({ ...outcome.error, problems: [...onlyWarnings(problems), ...outcome.error.problems] });
    }
    const warning = workerCountWarning(workers, configuration.system.workerThreads, cores);
    if (warning !== null) logger.warn(warning);
    return ok(undefined);
  }

  /** Swaps the configuration in all serving workers. Workers that start too late to prepare it are replaced. */
  async #swap(next: InForce, audit: PreparedAudit): Promise<Result<void, LoadFailure>> {
    const { times } = this.#options;
    const outcome = await prepareServing(
      () => this.#slots.serving(),
      () => this.#reloadOrder(next.texts),
      times,
    );
    if (!outcome.ok) return outcome;
    const ready = outcome.value;
    if (this.#stopped !== null) {
      await abandonWorkers(ready, times);
      return err(loadFailure('the gateway is draining'));
    }
    // From here on, the order of a new worker holds the new configuration.
    this.#adopt(next);
    const committing = commitWorkers(ready, times.commitMs);
    // Workers write their last records first, and this process the last of all.
    audit.commit(() => committing.then(() => waitForAuditLogs(ready, lastWriteMs)));
    this.#noteLoaded();
    this.#slots.replaceOutdated(this.#slots.present().filter((worker) => !ready.includes(worker)));
    const uncommitted = await committing;
    this.#slots.replaceOutdated(uncommitted.filter(({ isServing }) => isServing));
    return ok(undefined);
  }

  /** Restarts all workers with the configuration, because none serves. On failure the previous one stays in force. */
  async #restartWith(next: InForce, audit: PreparedAudit): Promise<Result<void, LoadFailure>> {
    const previous = this.#inForce;
    this.#slots.deferReplacements();
    try {
      this.#adopt(next);
      const failure = await this.#slots.restartAll();
      if (failure === null && this.#stopped === null) {
        audit.commit();
        this.#noteLoaded();
        return ok(undefined);
      }
      if (previous !== null) this.#adopt(previous);
      if (this.#stopped === null) this.#slots.replaceOutdated(this.#slots.present());
      return err(failure ?? loadFailure('the gateway is draining'));
    } finally {
      this.#slots.resumeReplacements();
    }
  }

  /** The order to load texts. Only the first order of the same texts makes its worker log warnings. */
  #reloadOrder(texts: ReadonlyMap<string, string>): ReloadOrder {
    const logsWarnings = !this.#ordered.has(texts);
    this.#ordered.add(texts);
    return { texts, logsWarnings };
  }

  #noteLoaded(): void {
    this.#options.audit.act('configuration', 'loaded');
    this.#reloads = { count: this.#reloads.count + 1, lastLoadMs: this.#options.clock.wallMs() };
  }

  #adopt(next: InForce): void {
    this.#inForce = next;
    for (const service of [this.#socketSharing, ...this.#options.services]) service.adopt(next.configuration);
  }

  #auditRefusal({ reason, problems }: LoadFailure): void {
    this.#options.audit.act('configuration', 'refused', { reason, problems: problems.length });
  }

  #logWarnings(problems: readonly ConfigurationProblem[]): void {
    for (const { message, position } of onlyWarnings(problems)) {
      this.#options.logger.warn(message, { file: position?.file ?? null, line: position?.line ?? null });
    }
  }

  async #end(graceMs: number, manner: StopManner): Promise<void> {
    const { sockets, scheduler, times } = this.#options;
    this.#slots.close();
    // Workers hold their own sockets until they drain. An open one here would then queue clients that no worker
    // accepts.
    sockets.keep(new Set());
    const workers = this.#slots.present();
    for (const worker of workers) worker.drain({ graceMs, manner });
    const ended = Promise.all(workers.map((worker) => worker.ended));
    const dueMs = manner.delayMs + graceMs + times.endMs;
    const overdue = scheduler.after(dueMs, () => {
      for (const worker of workers) worker.kill();
    });
    try {
      await withTimeout(Promise.all([ended, this.#spare.stop()]), dueMs + times.killedMs, scheduler);
    } finally {
      overdue.cancel();
    }
  }
}
