import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningContender } from './contender.js';
import { coreBusyUs, cpuTimeUs } from './cpu-time.js';
import { runWrk, type WrkOutcome } from './wrk.js';

/** One measured run of one proxy. */
export interface Measurement extends WrkOutcome {
  readonly cpuUsPerRequest: number;
  /** Part of the proxy's core that something else used, from 0 to 1. */
  readonly foreignShare: number;
}

export interface Load {
  readonly wrk: string;
  readonly generatorCore: number;
  readonly proxyCore: number;
  readonly seconds: number;
  readonly connections: number;
  readonly headers: readonly string[];
  /** See `runWrk`. */
  readonly script: string | null;
}

const settleMs = 200;

const run = (contender: RunningContender, load: Load, seconds: number): Promise<WrkOutcome> =>
  runWrk(load.wrk, load.generatorCore, {
    url: `http://127.0.0.1:${contender.port}/orders/17`,
    seconds,
    connections: load.connections,
    headers: load.headers,
    script: load.script,
  });

/** Lets connections open and code be compiled before anything counts. */
export const warmUp = async (contender: RunningContender, load: Load, seconds: number): Promise<void> => {
  await run(contender, load, Math.min(seconds, load.seconds));
};

export const measure = async (contender: RunningContender, load: Load): Promise<Measurement> => {
  await sleep(settleMs);
  const ownBefore = cpuTimeUs(contender.pids);
  const busyBefore = coreBusyUs(load.proxyCore);
  const startedMs = performance.now();
  const outcome = await run(contender, load, load.seconds);
  const ownUs = cpuTimeUs(contender.pids) - ownBefore;
  const busyUs = coreBusyUs(load.proxyCore) - busyBefore;
  const elapsedUs = (performance.now() - startedMs) * 1000;
  return {
    ...outcome,
    cpuUsPerRequest: outcome.requests === 0 ? Number.NaN : ownUs / outcome.requests,
    foreignShare: Math.max(0, (busyUs - ownUs) / elapsedUs),
  };
};
