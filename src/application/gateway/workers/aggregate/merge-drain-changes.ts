import type { DrainedState, TargetChange } from '../../../ports/gateway/gateway-state.js';
import { firstOf } from './merged.js';

const isState = (change: TargetChange): change is DrainedState => typeof change === 'object';

/**
 * What came of a wish in all workers. One may know a target that others do not, as the look-up of a name gave it: it counts.
 * It gets no requests only where that holds for all who know it.
 */
export const mergeDrainChanges = (changes: readonly TargetChange[]): TargetChange => {
  const states = changes.filter(isState);
  if (states.length === 0) return changes.includes('no_target') ? 'no_target' : 'no_upstream';
  return {
    drained: states.every(({ drained }) => drained),
    drainedBy: firstOf(states.map(({ drainedBy }) => drainedBy)),
  };
};
