import { readdirSync, readFileSync } from 'node:fs';

/** Length of a tick of /proc (USER_HZ, 100 on every Linux that Node runs on), in microseconds. */
const tickUs = 10_000;

interface ProcessTimes {
  readonly parent: number;
  readonly ownTicks: number;
  readonly ticks: number;
}

/** utime + stime of a process, and those of its children that have ended (proc(5)); null where it is gone. */
const timesOf = (pid: number): ProcessTimes | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything; the fields after it are numbers, the first of them field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const field = (number: number): number => Number(fields[number - 3]);
    const ownTicks = field(14) + field(15);
    return { parent: field(4), ownTicks, ticks: ownTicks + field(16) + field(17) };
  } catch {
    return null;
  }
};

/** CPU time of a process without those that it started, in microseconds; not a number where it is gone. */
export const ownCpuTimeUs = (pid: number): number => (timesOf(pid)?.ownTicks ?? Number.NaN) * tickUs;

/** CPU time of these processes and of all below them, in microseconds. */
export const cpuTimeUs = (pids: readonly number[]): number => {
  const times = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const found = Number.isInteger(pid) ? timesOf(pid) : null;
    if (found !== null) times.set(pid, found);
  }
  const belongs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = times.get(at)?.parent ?? 0) if (pids.includes(at)) return true;
    return false;
  };
  let ticks = 0;
  for (const [pid, found] of times) if (belongs(pid)) ticks += found.ticks;
  return ticks * tickUs;
};

/** Time that a core has spent on anything but idling and waiting for disks, in microseconds. */
export const coreBusyUs = (core: number): number => {
  const line = readFileSync('/proc/stat', 'utf8')
    .split('\n')
    .find((candidate) => candidate.startsWith(`cpu${core} `));
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (line ?? '')
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * tickUs;
};
