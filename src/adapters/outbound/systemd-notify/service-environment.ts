/** The address and settings of the service manager. */
export interface ServiceEnvironment {
  /** NOTIFY_SOCKET. */
  readonly socket: string;
  /** WATCHDOG_USEC; null: no watchdog. */
  readonly watchdogUs: number | null;
}

const number = /^[0-9]{1,15}$/;

/**
 * Reads the variables of the service manager (sd_notify(3)); null if there is none. Removes them,
 * so that child processes cannot notify for the service.
 */
export const takeServiceEnvironment = (
  env: Record<string, string | undefined>,
  pid: number,
): ServiceEnvironment | null => {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: interval = '', WATCHDOG_PID: watched } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  if (socket === undefined || socket === '') return null;
  const isForThisProcess = watched === undefined || Number(watched) === pid;
  const watchdogUs = isForThisProcess && number.test(interval) && Number(interval) > 0 ? Number(interval) : null;
  return { socket, watchdogUs };
};

/** The variables for a successor process, whatever its process id. */
export const asVariables = ({ socket, watchdogUs }: ServiceEnvironment): Readonly<Record<string, string>> => ({
  NOTIFY_SOCKET: socket,
  ...(watchdogUs === null ? {} : { WATCHDOG_USEC: String(watchdogUs) }),
});
