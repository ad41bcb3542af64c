import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { freePort, type Started, start, untilReady } from '../started.js';
import type { Manner } from './manners.js';

const program = fileURLToPath(new URL('./target.js', import.meta.url));

/** A target in a process of its own, always on the same port. */
export class FaultTarget {
  #process: Started | null = null;

  private constructor(
    /** What its answers begin with. */
    readonly name: string,
    readonly port: number,
    readonly controlPort: number,
    readonly core: number,
  ) {}

  static async start(name: string, core: number): Promise<FaultTarget> {
    const target = new FaultTarget(name, await freePort(), await freePort(), core);
    await target.revive();
    return target;
  }

  /** Starts its process anew. */
  async revive(): Promise<void> {
    const command = [process.execPath, program, String(this.port), String(this.controlPort), this.name];
    const started = start(`target ${this.name}`, this.core, command);
    this.#process = started;
    await untilReady(started, { port: this.port });
    await untilReady(started, { port: this.controlPort });
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#process !== null) process.kill(this.#process.pid, signal);
  }

  become(manner: Manner): Promise<void> {
    return new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port: this.controlPort, path: `/${manner}`, agent: false }, (response) => {
        response.resume().on('end', resolve);
      }).on('error', reject);
    });
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }
}
