import type { ServiceIdentifier } from 'inversify';
import type { Clock } from '../../application/ports/shared/clock.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { Random } from '../../application/ports/shared/random.js';
import type { Scheduler } from '../../application/ports/shared/scheduler.js';

/** Tokens that both programs use. Each program binds them itself. */
export const sharedTokens = {
  clock: Symbol('Clock') as ServiceIdentifier<Clock>,
  logger: Symbol('Logger') as ServiceIdentifier<Logger>,
  random: Symbol('Random') as ServiceIdentifier<Random>,
  scheduler: Symbol('Scheduler') as ServiceIdentifier<Scheduler>,
  /** Version of the programs, such as `1.2.3`. */
  version: Symbol('version') as ServiceIdentifier<string>,
} as const;
