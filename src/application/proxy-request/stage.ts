import type { Exchange } from './exchange.js';

/** `ended`: the response is made, or on its way, and no later stage runs. */
export type StageOutcome = 'continue' | 'ended';

/** One step of the way of a request. Answers at once where it can: a promise only where it has to wait. */
export type Stage = (exchange: Exchange) => StageOutcome | Promise<StageOutcome>;

/** Runs stages in order until one ends the exchange. */
export const runStages = (stages: readonly Stage[], exchange: Exchange): StageOutcome | Promise<StageOutcome> => {
  for (let index = 0; index < stages.length; index += 1) {
    const outcome = (stages[index] as Stage)(exchange);
    if (typeof outcome !== 'string') {
      return outcome.then((settled) => (settled === 'ended' ? settled : runStages(stages.slice(index + 1), exchange)));
    }
    if (outcome === 'ended') return outcome;
  }
  return 'continue';
};
