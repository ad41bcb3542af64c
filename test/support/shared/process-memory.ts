import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const field = (pid: number, name: string): number => {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!found) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(found[1]) * 1024;
};

/** Resident memory of a process of this machine, in octets (proc(5)). */
export const residentBytes = (pid: number): number => field(pid, 'VmRSS');

/** The most that it has been since the process began or the peak was forgotten. */
export const peakResidentBytes = (pid: number): number => field(pid, 'VmHWM');

/** From now on the peak is counted anew. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

export const openDescriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
