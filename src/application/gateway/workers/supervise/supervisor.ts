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
import { abandonIn, auditLeftIn, commitIn, prepareWhoServes } from './reload-workers.js';
import { ShareSockets } from './share-sockets.js';
import { SpareProcess } from './spare-process.js';
import type { SupervisorParts } from './supervisor-parts.js';
import { withDeadline } from './with-deadline.js';
import { WorkerPlaces } from './worker-places.js';
import type { ReloadOrder } from './worker-topics.js';

interface InForce {
  readonly configuration: GatewayConfiguration;
  readonly texts: ReadonlyMap<string, string>;
}

const onlyWarnings = (problems: readonly ConfigurationProblem[]): readonly ConfigurationProblem[] =>
  problems.filter(({ severity }) => severity === 'warning');

/**
 * Keeps a number of workers, each of them a process, at serving one configuration. Takes no traffic itself. The configuration is read once for
 * all of them; it comes into force in all or in none.
 */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #places: WorkerPlaces;
  readonly #spare: SpareProcess;
  readonly #shared: ShareSockets;
  #inForce: InForce | null = null;
  /** Texts that a worker has got, and warns of. */
  readonly #warned = new WeakSet<ReadonlyMap<string, string>>();
  #reloads: ReloadFigures;
  #loading: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | null = null;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#reloads = { count: 0, lastLoadMs: parts.order.startedAtMs };
    this.#spare = new SpareProcess(parts);
    const { order, workers, services, sockets } = parts;
    this.#shared = new ShareSockets(sockets);
    this.#places = new WorkerPlaces({
      ...parts,
      spare: this.#spare,
      services: [this.#shared, ...services],
      order: (number) => ({
        ...order,
        ...this.#toLoad(this.#inForce?.texts ?? new Map()),
        number,
        workers,
        reloads: this.#reloads,
        drainedTargets: parts.drainedTargets(),
      }),
    });
  }

  /** The processes of workers, those too that do not serve yet. */
  workers(): readonly AttendedWorker[] {
    return this.#places.present();
  }

  /** How often workers were replaced. */
  get restarts(): number {
    return this.#places.restarts;
  }

  /** For how long nobody has served, in milliseconds; 0 while a worker serves. */
  unservedMs(): number {
    return this.#places.unservedMs() ?? 0;
  }

  /** Ends all processes at once, whatever they do. */
  kill(): void {
    this.#places.kill();
    this.#spare.kill();
  }

  reloads(): ReloadFigures {
    return this.#reloads;
  }

  /** Where the one in force is served. */
  addresses(): ListeningAddresses {
    return this.#shared.addresses(this.configuration());
  }

  /** The one in force. */
  configuration(): GatewayConfiguration {
    if (this.#inForce === null) throw new Error('the gateway has no configuration yet');
    return this.#inForce.configuration;
  }

  /** Resolves when all workers serve, or with why one cannot; then none is left. `first`: what the source gave. */
  async start(first: LoadedConfiguration): Promise<Result<ListeningAddresses, LoadFailure>> {
    const { audit, clock } = this.#parts;
    const started = await this.#start(first);
    if (!started.ok) {
      this.#refused(started.error);
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
    const { workers, logger } = this.#parts;
    if (configuration === null || texts === undefined) return err({ problems, reason: null, cause: null });
    this.#logWarnings(problems);
    const audit = await this.#parts.audit.prepare(configuration.audit);
    if (!audit.ok) return err({ problems, reason: audit.error, cause: null });
    this.#adopt({ configuration, texts });
    audit.value.commit();
    const opening = this.#open();
    this.#loading = opening;
    const serving = await opening;
    if (!serving.ok) {
      // What some of them have accepted, where another failed only then, is finished.
      await this.#end(configuration.system.gracefulShutdownTimeoutMs, atOnce);
      return err({ ...serving.error, problems: [...onlyWarnings(problems), ...serving.error.problems] });
    }
    logger.info('the workers serve', { workers });
    this.#spare.fillLater();
    return serving;
  }

  /** No worker accepts a connection before all could: sockets that were inherited may have clients. */
  async #open(): Promise<Result<ListeningAddresses, LoadFailure>> {
    const numbers = Array.from({ length: this.#parts.workers }, (_, at) => at + 1);
    const prepared = await Promise.all(numbers.map((number) => this.#places.open(number)));
    const unfit = prepared.find((outcome) => !outcome.ok);
    if (unfit !== undefined && !unfit.ok) return unfit;
    const serving = await Promise.all(prepared.map((outcome) => (outcome.ok ? outcome.value() : outcome)));
    return serving.find((outcome) => !outcome.ok) ?? serving[0] ?? err(loadFailure('there is no worker'));
  }

  /** Loads the configuration anew and has all workers swap it in; any error in any of them changes nothing. */
  reload(): Promise<Result<void, LoadFailure>> {
    const next = this.#loading.then(() => (this.#stopped === null ? this.#reload() : ok(undefined)));
    this.#loading = next;
    return next;
  }

  /** Has all workers drain. Those that have not ended some seconds after the grace are killed. Asked again, it waits for the same end. */
  stop(graceMs: number, manner: StopManner = atOnce): Promise<void> {
    this.#stopped ??= this.#stop(graceMs, manner);
    return this.#stopped;
  }

  async #stop(graceMs: number, manner: StopManner): Promise<void> {
    const { audit } = this.#parts;
    audit.act('gateway', manner.isReplaced ? 'upgraded' : 'draining');
    await this.#end(graceMs, manner);
    audit.act('gateway', 'stopped');
    await audit.close();
  }

  async #reload(): Promise<Result<void, LoadFailure>> {
    const outcome = await this.#loadAnew();
    this.#parts.reloaded(outcome.ok ? 'success' : 'failure');
    if (outcome.ok) this.#parts.logger.info('the configuration was reloaded');
    else this.#refused(outcome.error);
    return outcome;
  }

  async #loadAnew(): Promise<Result<void, LoadFailure>> {
    const { source, times, workers, cores, logger, scheduler, sockets } = this.#parts;
    const { configuration, problems, texts } = await source.load();
    if (configuration === null || texts === undefined) return err({ problems, reason: null, cause: null });
    this.#logWarnings(problems);
    const audit = await this.#parts.audit.prepare(configuration.audit);
    if (!audit.ok) return err({ problems, reason: audit.error, cause: null });
    await withDeadline(this.#places.filled(), times.unansweredMs, scheduler);
    const next = { configuration, texts };
    const outcome = await (this.#places.serving().length === 0
      ? this.#startWith(next, audit.value)
      : this.#swap(next, audit.value));
    // What was bound for the other one is not needed.
    sockets.keep(this.#stopped === null ? listenerKeys(this.configuration()) : new Set());
    if (!outcome.ok) {
      await audit.value.abandon();
      return err({ ...outcome.error, problems: [...onlyWarnings(problems), ...outcome.error.problems] });
    }
    const warning = workerCountWarning(workers, configuration.system.workerThreads, cores);
    if (warning !== null) logger.warn(warning);
    return ok(undefined);
  }

  /** Workers that come meanwhile serve what is in force, and prepare too; those that are not so far are replaced once more. */
  async #swap(next: InForce, audit: PreparedAudit): Promise<Result<void, LoadFailure>> {
    const { times } = this.#parts;
    const outcome = await prepareWhoServes(
      () => this.#places.serving(),
      () => this.#toLoad(next.texts),
      times,
    );
    if (!outcome.ok) return outcome;
    const ready = outcome.value;
    if (this.#stopped !== null) {
      await abandonIn(ready, times);
      return err(loadFailure('the gateway drains'));
    }
    // From here on a worker that comes gets the new one with its order.
    this.#adopt(next);
    const committing = commitIn(ready, times.commitMs);
    // The one who was asked for the reload has a record of it, and this process the last of all.
    audit.commit(() => committing.then(() => auditLeftIn(ready, lastWriteMs)));
    this.#loaded();
    this.#places.renew(this.#places.present().filter((worker) => !ready.includes(worker)));
    const unchanged = await committing;
    this.#places.renew(unchanged.filter(({ isServing }) => isServing));
    return ok(undefined);
  }

  /** Where nobody serves there is nothing to swap it in for: all workers start with it, or the one before stays in force. */
  async #startWith(next: InForce, audit: PreparedAudit): Promise<Result<void, LoadFailure>> {
    const previous = this.#inForce;
    this.#places.hold();
    try {
      this.#adopt(next);
      const failure = await this.#places.fillAll();
      if (failure === null && this.#stopped === null) {
        audit.commit();
        this.#loaded();
        return ok(undefined);
      }
      if (previous !== null) this.#adopt(previous);
      if (this.#stopped === null) this.#places.renew(this.#places.present());
      return err(failure ?? loadFailure('the gateway drains'));
    } finally {
      this.#places.release();
    }
  }

  /** The first one who gets them has to warn. */
  #toLoad(texts: ReadonlyMap<string, string>): ReloadOrder {
    const warns = !this.#warned.has(texts);
    this.#warned.add(texts);
    return { texts, warns };
  }

  #loaded(): void {
    this.#parts.audit.act('configuration', 'loaded');
    this.#reloads = { count: this.#reloads.count + 1, lastLoadMs: this.#parts.clock.wallMs() };
  }

  #adopt(next: InForce): void {
    this.#inForce = next;
    for (const service of [this.#shared, ...this.#parts.services]) service.adopt(next.configuration);
  }

  #refused({ reason, problems }: LoadFailure): void {
    this.#parts.audit.act('configuration', 'refused', { reason, problems: problems.length });
  }

  #logWarnings(problems: readonly ConfigurationProblem[]): void {
    for (const { message, position } of onlyWarnings(problems)) {
      this.#parts.logger.warn(message, { file: position?.file ?? null, line: position?.line ?? null });
    }
  }

  async #end(graceMs: number, manner: StopManner): Promise<void> {
    const { sockets, scheduler, times } = this.#parts;
    this.#places.close();
    // Workers have their own until they begin to drain; one left open here would then have clients wait for nobody.
    sockets.keep(new Set());
    const workers = this.#places.present();
    for (const worker of workers) worker.drain({ graceMs, manner });
    const ended = Promise.all(workers.map((worker) => worker.ended));
    const dueMs = manner.delayMs + graceMs + times.endMs;
    const overdue = scheduler.after(dueMs, () => {
      for (const worker of workers) worker.kill();
    });
    try {
      await withDeadline(Promise.all([ended, this.#spare.stop()]), dueMs + times.killedMs, scheduler);
    } finally {
      overdue.cancel();
    }
  }
}
