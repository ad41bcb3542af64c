import { readdirSync, readFileSync } from 'node:fs';
import { residentBytes } from '../resident.js';

/** What a program with all of its processes holds at a moment. */
export interface Holdings {
  readonly processes: number;
  /** Octets of all processes together. */
  readonly residentBytes: number;
  readonly descriptors: number;
}

/** Processes that a process started (proc(5)). */
export const childrenOf = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

/** A process, and all below it. */
const treeOf = (pid: number): readonly number[] => [pid, ...childrenOf(pid).flatMap(treeOf)];

export const holdingsOf = (pid: number): Holdings => {
  const pids = treeOf(pid);
  const sum = (figure: (each: number) => number): number => pids.reduce((total, each) => total + figure(each), 0);
  return {
    processes: pids.length,
    residentBytes: sum(residentBytes),
    descriptors: sum((each) => readdirSync(`/proc/${each}/fd`).length),
  };
};
