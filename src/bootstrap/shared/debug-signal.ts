import type { Logger } from '../../application/ports/shared/logger.js';

// On SIGUSR1 Node opens its inspector, through which local users can read all memory. Handle the
// signal first of all.
process.on('SIGUSR1', () => undefined);

/** Logs the signal, which has no other effect. */
export const logDebugSignal = (logger: Pick<Logger, 'debug'>): void => {
  process.on('SIGUSR1', () => logger.debug('SIGUSR1 has no effect: this program opens no inspector'));
};
