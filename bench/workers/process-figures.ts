import { readFileSync } from 'node:fs';
import { cpuTimeUs, ownCpuTimeUs } from '../cpu-time.js';
import { childrenOf } from '../soak/process-tree.js';

/** Figures of a gateway's processes since they began. */
export interface ProcessFigures {
  /** CPU time in microseconds. */
  readonly supervisorUs: number;
  readonly workersUs: number;
  /** Messages that the supervisor wrote, but for a few lines of its log. */
  readonly told: number;
  /** How often the supervisor was woken. */
  readonly woken: number;
}

const figure = (file: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)$`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? Number.NaN);

/** @param pid the gateway's own: that of the supervisor where there are several; one process is a worker */
export const processFigures = (pid: number): ProcessFigures => {
  const all = cpuTimeUs([pid]);
  if (childrenOf(pid).length === 0) return { supervisorUs: 0, workersUs: all, told: 0, woken: 0 };
  const supervisorUs = ownCpuTimeUs(pid);
  return {
    supervisorUs,
    workersUs: all - supervisorUs,
    told: figure(`/proc/${pid}/io`, 'syscw'),
    woken: figure(`/proc/${pid}/status`, 'voluntary_ctxt_switches'),
  };
};
