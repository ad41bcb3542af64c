import type { InheritedSocket } from './inherited-sockets.js';

/** What a service manager has passed. */
export interface SystemdSockets {
  readonly sockets: readonly InheritedSocket[];
  /** Why nothing of what it passed is taken; null where there is nothing to say. */
  readonly warning: string | null;
}

/** The first that is passed (sd_listen_fds(3)). */
const firstDescriptor = 3;
const mostSockets = 1_024;
const count = /^[0-9]{1,9}$/;

/**
 * The sockets of socket activation, by sd_listen_fds(3). The variables are removed: they are not meant for the
 * processes that this one starts.
 */
export const takeSystemdSockets = (env: Record<string, string | undefined>, pid: number): SystemdSockets => {
  const { LISTEN_PID: meant, LISTEN_FDS: passed, LISTEN_FDNAMES: names = '' } = env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  if (meant === undefined || passed === undefined) return { sockets: [], warning: null };
  if (!count.test(passed) || Number(passed) > mostSockets) {
    return {
      sockets: [],
      warning: 'LISTEN_FDS is no number of sockets: the sockets of the service manager are not used',
    };
  }
  if (Number(meant) !== pid) {
    const warning =
      'the sockets of the service manager are meant for another process (LISTEN_PID), and are not used: ' +
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
