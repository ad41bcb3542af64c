import { untilTrue } from './gateway-stack.js';
import type { RunningProcess } from './processes.js';

/** Whether there is a process of this number. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Resolves once a process, which need not be a child of the test's, has ended. */
export const untilGone = (pid: number): Promise<void> => untilTrue(`process ${pid} has ended`, () => !isAlive(pid));

const started = /"successor":(\d+)[^\n]*starting the program on disk/g;

/**
 * The processes that a gateway, or one of its successors, has started to take its place, in order; they share its
 * output.
 */
export const successorsOf = (gateway: RunningProcess): readonly number[] =>
  [...gateway.output().matchAll(started)].map(([, pid]) => Number(pid));

/**
 * SIGUSR2 to the one that is in charge; resolves with the number of its successor once that has taken over and the
 * other is gone.
 */
export const upgraded = async (gateway: RunningProcess, inCharge: number): Promise<number> => {
  const before = successorsOf(gateway).length;
  process.kill(inCharge, 'SIGUSR2');
  await untilTrue('there is a successor', () => successorsOf(gateway).length > before);
  const successor = successorsOf(gateway)[before] as number;
  await gateway.wrote(new RegExp(`"predecessor":${inCharge}[^\\n]*has taken over`));
  await untilGone(inCharge);
  return successor;
};

/** Ends whatever has taken over. */
export const endSuccessors = async (gateway: RunningProcess): Promise<void> => {
  for (const pid of successorsOf(gateway)) {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    await untilGone(pid);
  }
};
