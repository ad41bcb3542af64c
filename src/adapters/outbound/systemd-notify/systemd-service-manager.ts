import { execFile } from 'node:child_process';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { ServiceManager } from '../../../application/ports/shared/service-manager.js';
import type { ServiceEnvironment } from './service-environment.js';

/** Timeout of systemd-notify, in milliseconds. */
const deadlineMs = 2_000;

/**
 * Notifies systemd with its own tool, since Node has no Unix datagram sockets. The unit needs
 * `NotifyAccess=all`, because the sender is another process.
 */
export class SystemdServiceManager implements ServiceManager {
  readonly watchdogMs: number | null;
  readonly #socket: string;
  readonly #logger: Logger;
  readonly #tool: string;
  /** Notifications are sent in order. */
  #last: Promise<void> = Promise.resolve();
  #hasWarned = false;
  #isAliveDue = false;

  constructor({ socket, watchdogUs }: ServiceEnvironment, logger: Logger, tool = 'systemd-notify') {
    this.#socket = socket;
    this.#logger = logger;
    this.#tool = tool;
    // Half of the watchdog interval, as sd_watchdog_enabled(3) advises.
    this.watchdogMs = watchdogUs === null ? null : Math.max(1, Math.floor(watchdogUs / 2_000));
  }

  ready(status: string): void {
    void this.#notify('READY=1', `MAINPID=${process.pid}`, `STATUS=${status}`);
  }

  reloading(): void {
    const us = process.hrtime.bigint() / 1_000n;
    void this.#notify('RELOADING=1', `MONOTONIC_USEC=${us}`, 'STATUS=Reloading the configuration');
  }

  status(text: string): void {
    void this.#notify(`STATUS=${text}`);
  }

  stopping(): void {
    void this.#notify('STOPPING=1', 'STATUS=Draining requests');
  }

  alive(): void {
    // A queued notification suffices.
    if (this.#isAliveDue) return;
    this.#isAliveDue = true;
    void this.#notify('WATCHDOG=1').then(() => {
      this.#isAliveDue = false;
    });
  }

  told(): Promise<void> {
    return this.#last;
  }

  #notify(...assignments: readonly string[]): Promise<void> {
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
    this.#logger.warn('Notifying the service manager failed', {
      error: String((error as NodeJS.ErrnoException).code ?? error.message),
    });
  }
}
