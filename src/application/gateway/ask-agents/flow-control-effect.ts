import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';

/** The effect of an agent's FlowControl message; null: none. */
export const flowControlEffect = ({ action, bufferAvailable }: FlowControl): 'pause' | 'resume' | null => {
  if (action !== 'update_capacity') return action;
  if (bufferAvailable === null) return null;
  return bufferAvailable > 0 ? 'resume' : 'pause';
};
