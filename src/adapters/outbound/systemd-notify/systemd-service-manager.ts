import { execFile } from 'node:child_process';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { ServiceManager } from '../../../application/ports/shared/service-manager.js';
import type { ServiceEnvironment } from './service-environment.js';

/** How long the tool may take, in milliseconds. */
const deadlineMs = 2_000;

/**
 * systemd, told through its own tool: Node has no datagram sockets of the local kind. The unit needs
 * `NotifyAccess=all`, for it is another process than this one that speaks.
 */
export class SystemdServiceManager implements ServiceManager {
  readonly watchdogMs: number | null;
  readonly #socket: string;
  readonly #logger: Logger;
  readonly #tool: string;
  /** One after the other: the order is what counts. */
  #last: Promise<void> = Promise.resolve();
  #hasWarned = false;
  #isAliveDue = false;

  constructor({ socket, watchdogUs }: ServiceEnvironment, logger: Logger, tool = 'systemd-notify') {
    this.#socket = socket;
    this.#logger = logger;
    this.#tool = tool;
    // Half of what it waits, as sd_watchdog_enabled(3) advises.
    this.watchdogMs = watchdogUs === null ? null : Math.max(1, Math.floor(watchdogUs / 2_000));
  }

  ready(status: string): void {
    void this.#tell('READY=1', `MAINPID=${process.pid}`, `STATUS=${status}`);
  }

  reloading(): void {
    const us = process.hrtime.bigint() / 1_000n;
    void this.#tell('RELOADING=1', `MONOTONIC_USEC=${us}`, 'STATUS=The configuration is read again');
  }

  status(text: string): void {
    void this.#tell(`STATUS=${text}`);
  }

  stopping(): void {
    void this.#tell('STOPPING=1', 'STATUS=Requests in flight are finished');
  }

  alive(): void {
    // One that waits already says as much.
    if (this.#isAliveDue) return;
    this.#isAliveDue = true;
    void this.#tell('WATCHDOG=1').then(() => {
      this.#isAliveDue = false;
    });
  }

  told(): Promise<void> {
    return this.#last;
  }

  #tell(...assignments: readonly string[]): Promise<void> {
    this.#last = this.#last.then(() => this.#run(assignments));
    return this.#last;
  }

  #run(assignments: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const env = { ...process.env, NOTIFY_SOCKET: this.#socket };
      execFile(this.#tool, assignments, { env, timeout: deadlineMs, killSignal: 'SIGKILL' }, (error) => {
        if (error !== null) this.#warn(error);
        resolve();
      });
    });
  }

  #warn(error: Error): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#logger.warn('the service manager cannot be told how the program is', {
      error: String((error as NodeJS.ErrnoException).code ?? error.message),
    });
  }
}
