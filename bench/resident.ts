import { readFileSync } from 'node:fs';

/** Resident memory of a process, in octets (proc(5)). */
export const residentBytes = (pid: number): number => {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? Number.NaN) * 1024;
};
