import type { InheritedSocket } from './inherited-sockets.js';

/** The sockets of socket activation. */
export interface SystemdSockets {
  readonly sockets: readonly InheritedSocket[];
  /** Why the passed sockets are ignored; null if they are used or absent. */
  readonly warning: string | null;
}

/** The first passed descriptor (sd_listen_fds(3)). */
const firstDescriptor = 3;
const maxSockets = 1_024;
const count = /^[0-9]{1,9}$/;

/**
 * Reads the sockets of socket activation (sd_listen_fds(3)). Removes the variables, which must not
 * reach child processes.
 */
export const takeSystemdSockets = (env: Record<string, string | undefined>, pid: number): SystemdSockets => {
  const { LISTEN_PID: targetPid, LISTEN_FDS: passed, LISTEN_FDNAMES: names = '' } = env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  if (targetPid === undefined || passed === undefined) return { sockets: [], warning: null };
  if (!count.test(passed) || Number(passed) > maxSockets) {
    return {
      sockets: [],
      warning: 'LISTEN_FDS is invalid: the sockets of the service manager are ignored',
    };
  }
  if (Number(targetPid) !== pid) {
    const warning =
      'the sockets of the service manager are targetPid for another process (LISTEN_PID), and are not used: ' +
      'ExecStart= has to start node itself, without a shell or npm between';
    return { sockets: [], warning };
  }
  const given = names.split(':');
  const sockets = Array.from({ length: Number(passed) }, (_, index) => ({
    fd: firstDescriptor + index,
    key: null,
    name: given[index] || null,
  }));
  return { sockets, warning: null };
};
