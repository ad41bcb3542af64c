import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MemoryReclaimer } from '../../../application/ports/gateway/process-figures.js';

/** V8's `gc`, null where it cannot be had. The flag is set for a moment only: no other context gets the function. */
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

/** Asks V8 for a full collection. */
export class V8MemoryReclaimer implements MemoryReclaimer {
  #collect: NodeJS.GCFunction | null | undefined;

  reclaim(): void {
    if (this.#collect === undefined) this.#collect = exposedCollector();
    // A task of its own, so that requests that have come meanwhile are not behind it; nobody waits for its end.
    void this.#collect?.({ type: 'major', execution: 'async' });
  }
}
