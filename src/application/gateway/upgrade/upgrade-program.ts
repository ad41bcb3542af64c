import type { TargetName } from '../../ports/gateway/gateway-state.js';
import type { Successor, SuccessorLauncher, SuccessorOutcome } from '../../ports/gateway/successor-launcher.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';

/** What somebody has said of targets since a moment. To be followed in this order. */
export interface DrainedChanges {
  readonly undrained: readonly TargetName[];
  readonly drained: readonly TargetName[];
}

const keyOf = ({ upstream, address }: TargetName): string => `${upstream}\n${address}`;

const without = (targets: readonly TargetName[], others: readonly TargetName[]): readonly TargetName[] => {
  const keys = new Set(others.map(keyOf));
  return targets.filter((target) => !keys.has(keyOf(target)));
};

/** What leads from the targets that were drained to those that are. */
export const drainedChanges = (before: readonly TargetName[], now: readonly TargetName[]): DrainedChanges => {
  const undrained = without(before, now);
  // A name stands for several addresses, of which some may be drained still: these are drained again.
  return { undrained, drained: undrained.length > 0 ? now : without(now, before) };
};

/** How long a successor has to begin to serve, in milliseconds. */
export const successorPatienceMs = 60_000;

/** How long one that is not to take over any more has to end by itself, in milliseconds. */
export const abandonedPatienceMs = 5_000;

const fields = { error_type: 'upgrade_failed' };

/**
 * Replaces the running program with the one that is on disk. One at a time; until the other serves, this one does as
 * before.
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
  #isReloadWished = false;

  /** `canLeave`: false for the first process of a container, with whose end the container ends. */
  constructor(launcher: SuccessorLauncher, scheduler: Scheduler, logger: Logger, canLeave: boolean) {
    this.#launcher = launcher;
    this.#scheduler = scheduler;
    this.#logger = logger;
    this.#canLeave = canLeave;
  }

  /** A successor is started, and it is not known yet whether it serves. */
  get isUnderway(): boolean {
    return this.#isUnderway;
  }

  /** A successor serves: this program only finishes what it has begun. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Somebody wants the configuration reloaded, by whoever serves once the upgrade is over. */
  wishReload(): void {
    this.#isReloadWished = true;
  }

  /** Whether somebody has, since it was asked last: whoever asks has to do it, or to hand it over. */
  takeReload(): boolean {
    const isWished = this.#isReloadWished;
    this.#isReloadWished = false;
    return isWished;
  }

  /**
   * Resolves with whether another process serves now; where not, the log says why. Never rejects. `reloaded`: what
   * has to come to its end first, for the successor inherits the sockets of the moment in which it is started.
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
   * This program ends, and with it the successor that has not taken over yet. No other is started. Resolves when that
   * has ended, at the latest after some seconds: one that hangs is killed, for it has the sockets.
   */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    const successor = this.#successor;
    if (successor === null) return;
    successor.abandon();
    const hangs = await new Promise<boolean>((resolve) => {
      const deadline = this.#scheduler.after(abandonedPatienceMs, () => resolve(true));
      const done = (): void => {
        deadline.cancel();
        resolve(false);
      };
      void successor.ended.then(done);
      // It was about to serve, and drains what it has accepted.
      void successor.outcome.then(({ kind }) => {
        if (kind === 'serves') done();
      });
    });
    if (!hangs) return;
    this.#logger.warn('the successor does not end and is killed', { successor: successor.pid });
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
    this.#logger.info('the program on disk is started to take over', { successor: successor.pid });
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
      const reason = `it did not serve within ${successorPatienceMs / 1_000} s`;
      const deadline = this.#scheduler.after(successorPatienceMs, () => resolve({ kind: 'failed', reason }));
      void successor.outcome.then((outcome) => {
        deadline.cancel();
        resolve(outcome);
      });
    });
  }

  #failed(reason: string): void {
    this.#logger.error(`the program was not replaced, and goes on: ${reason}`, fields);
  }
}
