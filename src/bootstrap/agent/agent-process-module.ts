import { ContainerModule } from 'inversify';
import { MemoryRateLimitStore } from '../../adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { CryptoRandom } from '../../adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import { sharedTokens } from '../shared/shared-tokens.js';
import { programVersion } from '../shared/version.js';
import { agentTokens } from './agent-tokens.js';

/** What the agent needs of the machine where it is a program of its own. */
export const agentProcessModule = (logger: Logger): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(sharedTokens.logger).toConstantValue(logger);
    bind(sharedTokens.version).toConstantValue(programVersion);
    bind(sharedTokens.clock)
      .toResolvedValue(() => new SystemClock(), [])
      .inSingletonScope();
    bind(sharedTokens.random)
      .toResolvedValue(() => new CryptoRandom(), [])
      .inSingletonScope();
    bind(sharedTokens.scheduler)
      .toResolvedValue(() => new NodeScheduler(), [])
      .inSingletonScope();
    bind(agentTokens.exchangeRates)
      .toResolvedValue((clock) => new MemoryRateLimitStore(clock), [sharedTokens.clock])
      .inSingletonScope();
  });
