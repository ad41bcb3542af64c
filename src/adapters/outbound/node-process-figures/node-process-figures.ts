import { totalmem } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { EventLoopDelay, MemoryFigures } from '../../../application/ports/gateway/gateway-state.js';
import type { ProcessFigures } from '../../../application/ports/gateway/process-figures.js';

/** Sampling interval of the event loop, in milliseconds. */
const resolutionMs = 20;

/** Node measures the time between samples; subtracts the interval to get the delay. */
const milliseconds = (nanoseconds: number): number =>
  Number.isFinite(nanoseconds) ? Math.max(0, Math.round(nanoseconds / 1e3 - resolutionMs * 1e3) / 1e3) : 0;

export class NodeProcessFigures implements ProcessFigures {
  readonly pid = process.pid;
  #residentBytes = 0;
  #delaySumMs = 0;
  readonly #delay: IntervalHistogram;

  constructor(delay: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs })) {
    this.#delay = delay;
    this.#delay.enable();
    this.residentBytes();
  }

  memory(): MemoryFigures {
    const { used_heap_size, total_heap_size, external_memory } = getHeapStatistics();
    return {
      residentBytes: this.residentBytes(),
      heapUsedBytes: used_heap_size,
      heapTotalBytes: total_heap_size,
      externalBytes: external_memory,
    };
  }

  /**
   * Returns the last value if reading fails: Linux has it in a file, and Node throws if no
   * descriptor is free.
   */
  residentBytes(): number {
    try {
      this.#residentBytes = process.memoryUsage.rss();
    } catch {
      // The last value is close enough.
    }
    return this.#residentBytes;
  }

  availableBytes(): number {
    // 0 if unknown; without a control group it exceeds the total memory.
    const constrained = process.constrainedMemory();
    return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  }

  eventLoopDelay(): EventLoopDelay {
    const delay = this.#delay;
    const meanMs = milliseconds(delay.mean);
    // An early timer lowers the mean; a falling sum would look like a process restart.
    this.#delaySumMs = Math.max(this.#delaySumMs, meanMs * delay.count);
    return {
      count: delay.count,
      sumMs: this.#delaySumMs,
      meanMs,
      p50Ms: milliseconds(delay.percentile(50)),
      p99Ms: milliseconds(delay.percentile(99)),
      maxMs: milliseconds(delay.max),
    };
  }
}
