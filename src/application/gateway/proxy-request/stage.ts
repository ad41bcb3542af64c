import type { Exchange, Stage, StageOutcome } from './exchange.js';

export type { Stage, StageOutcome };

const nothingLeft: readonly Stage[] = [];

/** Runs stages in order until one ends the exchange or returns `later`. */
export const runStages = (
  stages: readonly Stage[],
  exchange: Exchange,
  from = 0,
): StageOutcome | Promise<StageOutcome> => {
  for (let index = from; index < stages.length; index += 1) {
    const outcome = (stages[index] as Stage)(exchange);
    if (outcome === 'continue') continue;
    if (outcome === 'ended') return outcome;
    if (outcome === 'later') return suspend(stages, exchange, index + 1);
    return outcome.then((settled) => {
      if (settled === 'ended') return settled;
      return settled === 'later' ? suspend(stages, exchange, index + 1) : runStages(stages, exchange, index + 1);
    });
  }
  return 'continue';
};

/** Runs the stages after one that returned `later`, with its outcome. Does not throw. */
export const resumeStages = (exchange: Exchange, outcome: Exclude<StageOutcome, 'later'>): void => {
  const { laterStages, laterFrom } = exchange;
  exchange.laterStages = nothingLeft;
  if (outcome === 'ended') return;
  try {
    const rest = runStages(laterStages, exchange, laterFrom);
    if (typeof rest !== 'string') rest.catch((error: unknown) => exchange.fail(error));
  } catch (error) {
    exchange.fail(error);
  }
};

/** INVARIANT: a stage that runs others is the last of its list, so that only one list has stages to resume. */
const suspend = (stages: readonly Stage[], exchange: Exchange, from: number): 'later' => {
  if (from < stages.length) {
    if (exchange.laterStages.length > 0) throw new Error('a stage that runs others must be the last of its list');
    exchange.laterStages = stages;
    exchange.laterFrom = from;
  }
  return 'later';
};
