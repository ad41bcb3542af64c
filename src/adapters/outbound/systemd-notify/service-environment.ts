/** How to reach the service manager, and what it expects. */
export interface ServiceEnvironment {
  /** NOTIFY_SOCKET. */
  readonly socket: string;
  /** WATCHDOG_USEC; null: it does not watch. */
  readonly watchdogUs: number | null;
}

const number = /^[0-9]{1,15}$/;

/**
 * What the service manager has said of itself (sd_notify(3)); null where there is none. Removes the variables: no
 * process that this one starts speaks for the service.
 */
export const takeServiceEnvironment = (
  env: Record<string, string | undefined>,
  pid: number,
): ServiceEnvironment | null => {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: interval = '', WATCHDOG_PID: watched } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  if (socket === undefined || socket === '') return null;
  const isMeant = watched === undefined || Number(watched) === pid;
  const watchdogUs = isMeant && number.test(interval) && Number(interval) > 0 ? Number(interval) : null;
  return { socket, watchdogUs };
};

/** The variables for a process that takes this one's place, whichever its number. */
export const asVariables = ({ socket, watchdogUs }: ServiceEnvironment): Readonly<Record<string, string>> => ({
  NOTIFY_SOCKET: socket,
  ...(watchdogUs === null ? {} : { WATCHDOG_USEC: String(watchdogUs) }),
});
