import type { TargetName } from '../../ports/gateway/gateway-state.js';
import type { Successor, SuccessorLauncher, SuccessorOutcome } from '../../ports/gateway/successor-launcher.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/** The drains and undrains between two moments. Apply them in this order. */
export interface DrainedChanges {
  readonly undrained: readonly TargetName[];
  readonly drained: readonly TargetName[];
}

const keyOf = ({ upstream, address }: TargetName): string => `${upstream}\n${address}`;

const without = (targets: readonly TargetName[], others: readonly TargetName[]): readonly TargetName[] => {
  const keys = new Set(others.map(keyOf));
  return targets.filter((target) => !keys.has(keyOf(target)));
};

/** The changes from one set of drained targets to another. */
export const drainedChanges = (before: readonly TargetName[], now: readonly TargetName[]): DrainedChanges => {
  const undrained = without(before, now);
  // A name covers several addresses, some of which may still be drained, so all are drained again.
  return { undrained, drained: undrained.length > 0 ? now : without(now, before) };
};

/** The time in which a successor must begin to serve; milliseconds. */
export const successorTimeoutMs = 60_000;

/** The time in which an abandoned successor must end; milliseconds. */
export const abandonedTimeoutMs = 5_000;

const fields = { error_type: 'upgrade_failed' };

/**
 * Replaces the running program with the one on disk, one upgrade at a time. Until the successor serves, this program
 * serves.
 */
export class UpgradeProgram {
  readonly #launcher: SuccessorLauncher;
  readonly #scheduler: Scheduler;
  readonly #logger: Logger;
  readonly #canLeave: boolean;
  #successor: Successor | null = null;
  #isUnderway = false;
  #isAbandoned = false;
  #isReplaced = false;
  #isReloadRequested = false;

  /** `canLeave`: false for the first process of a container, because its end ends the container. */
  constructor(launcher: SuccessorLauncher, scheduler: Scheduler, logger: Logger, canLeave: boolean) {
    this.#launcher = launcher;
    this.#scheduler = scheduler;
    this.#logger = logger;
    this.#canLeave = canLeave;
  }

  /** A successor is starting. */
  get isUnderway(): boolean {
    return this.#isUnderway;
  }

  /** A successor serves. This program only finishes its requests. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Requests a reload by the process that serves after the upgrade. */
  requestReload(): void {
    this.#isReloadRequested = true;
  }

  /** Whether a reload was requested since the last call. The caller must reload, or pass the request on. */
  takeReload(): boolean {
    const isRequested = this.#isReloadRequested;
    this.#isReloadRequested = false;
    return isRequested;
  }

  /**
   * Resolves with whether another process serves now; a failure is logged. Never rejects. `reloaded`: the reload to
   * wait for, because the successor inherits the sockets that are open when it starts.
   */
  async upgrade(reloaded: Promise<unknown> | null = null): Promise<boolean> {
    const refusal = this.#refusal();
    if (refusal !== null) {
      this.#logger.error(refusal, fields);
      return false;
    }
    this.#isUnderway = true;
    try {
      if (reloaded !== null) await reloaded;
      return await this.#replace();
    } finally {
      this.#isUnderway = false;
    }
  }

  /**
   * Ends a successor that has not taken over, because this program ends, and starts no other. Resolves when the
   * successor has ended. A successor that hangs is killed after some seconds, because it holds the sockets.
   */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    const successor = this.#successor;
    if (successor === null) return;
    successor.abandon();
    const hangs = await new Promise<boolean>((resolve) => {
      const deadline = this.#scheduler.after(abandonedTimeoutMs, () => resolve(true));
      const done = (): void => {
        deadline.cancel();
        resolve(false);
      };
      void successor.ended.then(done);
      // A successor that began to serve drains its connections.
      void successor.outcome.then(({ kind }) => {
        if (kind === 'serves') done();
      });
    });
    if (!hangs) return;
    this.#logger.warn('the successor does not end: killing it', { successor: successor.pid });
    successor.kill();
    await successor.ended;
  }

  async #replace(): Promise<boolean> {
    if (this.#isAbandoned) return false;
    let successor: Successor;
    try {
      successor = this.#launcher.launch();
    } catch (error) {
      this.#failed(error instanceof Error ? error.message : String(error));
      return false;
    }
    this.#successor = successor;
    this.#logger.info('starting the program on disk to take over', { successor: successor.pid });
    const outcome = await this.#within(successor);
    if (this.#isAbandoned) return false;
    this.#successor = null;
    if (outcome.kind === 'serves') {
      this.#isReplaced = true;
      this.#logger.info('the successor serves', { successor: successor.pid });
      return true;
    }
    successor.kill();
    this.#failed(outcome.reason);
    return false;
  }

  #refusal(): string | null {
    if (!this.#canLeave) {
      return 'the program is the first process of its container, which would end with it: replace the container instead';
    }
    if (this.#isAbandoned) return 'the program is not replaced while it ends';
    return this.isUnderway || this.#isReplaced ? 'the program is being replaced already' : null;
  }

  #within(successor: Successor): Promise<SuccessorOutcome> {
    return new Promise((resolve) => {
      const reason = `it did not serve within ${successorTimeoutMs / 1_000} s`;
      const deadline = this.#scheduler.after(successorTimeoutMs, () => resolve({ kind: 'failed', reason }));
      void successor.outcome.then((outcome) => {
        deadline.cancel();
        resolve(outcome);
      });
    });
  }

  #failed(reason: string): void {
    this.#logger.error(`the program was not replaced and continues: ${reason}`, fields);
  }
}
