import {
  type LoadFailure,
  loadFailure,
  type PreparedReload,
} from '../../../src/application/gateway/run-gateway/prepared-reload.js';
import { SupervisedGatewayProcess } from '../../../src/application/gateway/workers/serve/supervised-gateway-process.js';
import { auditLogClosed, type StartOrder } from '../../../src/application/gateway/workers/supervise/worker-topics.js';
import type { WorkerProcess, WorkerProcesses } from '../../../src/application/ports/gateway/worker-processes.js';
import type { Scheduler } from '../../../src/application/ports/shared/scheduler.js';
import type { WorkerLink } from '../../../src/application/ports/shared/worker-link.js';
import { WorkerChannel } from '../../../src/application/shared/worker-channel/worker-channel.js';
import type { ProcessEnd } from '../../../src/domain/gateway/supervision/process-end.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';
import { linkedPair, type PairedLink } from './linked-pair.js';

/** How a worker's gateway takes a configuration, told by the text of its main file. */
export interface FakeGatewayBehaviour {
  start(text: string, number: number): Promise<Result<void, LoadFailure>>;
  /** Begins to accept. */
  serve(number: number): Promise<Result<void, LoadFailure>>;
  prepare(text: string, number: number): Promise<Result<void, LoadFailure>>;
}

/** A worker's process within the test's: the real worker's side of the link, around a gateway that only remembers. */
export class FakeWorkerProcess implements WorkerProcess {
  readonly pid: number;
  readonly link: WorkerLink;
  readonly ended: Promise<ProcessEnd>;
  order: StartOrder | null = null;
  /** What it serves. */
  text: string | null = null;
  drained: { readonly graceMs: number } | null = null;
  /** Set by a test: a drain lasts until the process is killed. */
  drainsForever = false;
  abandoned = 0;
  /** The texts that it was to warn of. */
  readonly warned: string[] = [];
  /** Set by a test: its audit log waits for this before it has its last record. */
  lastRecord: Promise<void> = Promise.resolve();
  readonly #ends: PairedLink;
  #resolve: (end: ProcessEnd) => void = () => undefined;

  constructor(pid: number, behaviour: FakeGatewayBehaviour, scheduler: Scheduler) {
    this.pid = pid;
    const [supervisor, worker] = linkedPair();
    this.link = supervisor;
    this.#ends = worker;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const channel = new WorkerChannel(worker, scheduler, (topic, error) => {
      throw new Error(`${topic}: ${String(error)}`);
    });
    channel.answer(auditLogClosed, () => this.lastRecord.then(() => null));
    new SupervisedGatewayProcess(channel, {
      prepare: async (order) => {
        this.order = order;
        const text = [...order.texts.values()][0] ?? '';
        this.warned.push(...(order.logsWarnings ? [text] : []));
        const started = await behaviour.start(text, order.number);
        if (!started.ok) return started;
        return ok(async () => {
          const serving = await behaviour.serve(order.number);
          if (!serving.ok) return serving;
          this.text = text;
          return ok({
            addresses: { listeners: new Map([['main', { host: '127.0.0.1', port: 8080 }]]), admin: null },
            prepareReload: ({ texts, logsWarnings }) =>
              this.#prepare(logsWarnings, [...texts.values()][0] ?? '', behaviour),
            stop: async (graceMs) => {
              this.drained = { graceMs };
              if (this.drainsForever) await new Promise(() => undefined);
            },
            leave: async () => undefined,
          });
        });
      },
      end: () => this.end({ exitCode: 0, signal: null }),
    }).listen();
  }

  kill(): void {
    this.end({ exitCode: null, signal: 'SIGKILL' });
  }

  end(end: ProcessEnd): void {
    this.#resolve(end);
    this.#ends.close();
  }

  /** Its loop stands still from now on: it takes no message any more. */
  hang(): void {
    this.#ends.onMessage(() => undefined);
  }

  async #prepare(
    logsWarnings: boolean,
    text: string,
    behaviour: FakeGatewayBehaviour,
  ): Promise<Result<PreparedReload, LoadFailure>> {
    this.warned.push(...(logsWarnings ? [text] : []));
    const number = this.order?.number ?? 0;
    const prepared = await behaviour.prepare(text, number);
    if (!prepared.ok) return prepared;
    return ok({
      commit: () => {
        this.text = text;
      },
      abandon: async () => {
        this.abandoned += 1;
      },
    });
  }
}

/** Starts such processes, and remembers them. */
export class FakeWorkerProcesses implements WorkerProcesses {
  readonly started: FakeWorkerProcess[] = [];
  /** Called with each as it is started. */
  onStart: (process: FakeWorkerProcess) => void = () => undefined;
  /** A configuration whose text begins with `bad` is refused, with that text as the reason. */
  behaviour: FakeGatewayBehaviour = {
    start: async (text) => (text.startsWith('bad') ? err(loadFailure(text)) : ok(undefined)),
    serve: async () => ok(undefined),
    prepare: async (text) => (text.startsWith('bad') ? err(loadFailure(text)) : ok(undefined)),
  };
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  start(): FakeWorkerProcess {
    const behaviour: FakeGatewayBehaviour = {
      start: (text, number) => this.behaviour.start(text, number),
      serve: (number) => this.behaviour.serve(number),
      prepare: (text, number) => this.behaviour.prepare(text, number),
    };
    const process = new FakeWorkerProcess(1_000 + this.started.length, behaviour, this.#scheduler);
    this.started.push(process);
    this.onStart(process);
    return process;
  }

  /** Those that have an order and have not ended. */
  serving(): readonly FakeWorkerProcess[] {
    return this.started.filter(({ text, link }) => text !== null && !link.isClosed);
  }
}
