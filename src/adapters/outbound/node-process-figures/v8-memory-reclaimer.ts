import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MemoryReclaimer } from '../../../application/ports/gateway/process-figures.js';

/**
 * V8's `gc`; null if unavailable. The flag is set briefly, so no other context gets the function.
 */
const exposedCollector = (): NodeJS.GCFunction | null => {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('typeof gc === "function" ? gc : null');
    setFlagsFromString('--no-expose-gc');
    return typeof collect === 'function' ? (collect as NodeJS.GCFunction) : null;
  } catch {
    return null;
  }
};

/** Requests a full garbage collection from V8. */
export class V8MemoryReclaimer implements MemoryReclaimer {
  #collect: NodeJS.GCFunction | null | undefined;

  reclaim(): void {
    if (this.#collect === undefined) this.#collect = exposedCollector();
    // Asynchronous, so that received requests do not wait for it.
    void this.#collect?.({ type: 'major', execution: 'async' });
  }
}
