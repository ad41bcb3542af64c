import type { Logger } from '../../application/ports/shared/logger.js';

// Node opens its inspector at SIGUSR1, where whoever is on this machine can read all memory: the
// first that a program does is to take it.
process.on('SIGUSR1', () => undefined);

/** From now on the signal is told of, and nothing else. */
export const tellOfDebugSignal = (logger: Pick<Logger, 'debug'>): void => {
  process.on('SIGUSR1', () => logger.debug('SIGUSR1 has no effect: this program opens no inspector'));
};
