import { notice, topic } from '../../shared/worker-channel/worker-call.js';

/** A client assertion, as the memory of an agent knows it. */
export interface NamedAssertion {
  /** Name of the agent. */
  readonly agent: string | null;
  readonly clientId: string;
  readonly id: string;
}

export const takeAssertion = topic<NamedAssertion, 'first' | 'seen' | 'full'>('client-assertions take');

export const giveBackAssertion = notice<NamedAssertion>('client-assertions give-back');
