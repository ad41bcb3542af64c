import type { Clock } from '../../ports/shared/clock.js';
import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import { SpentAssertionsOfAgents } from '../exchange-token/spent-assertions-of-agents.js';
import { giveBackAssertion, takeAssertion } from './assertion-topics.js';

/** In the supervisor: remembers for all workers which client assertions were taken. */
export class SharedSpentAssertions {
  readonly #spent: SpentAssertionsOfAgents;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#spent = new SpentAssertionsOfAgents(clock);
  }

  serve(worker: Pick<WorkerChannel, 'answer' | 'hear'>): void {
    worker.answer(takeAssertion, ({ agent, clientId, id }) => this.#spent.of(agent).take(clientId, id));
    worker.hear(giveBackAssertion, ({ agent, clientId, id }) => this.#spent.of(agent).giveBack(clientId, id));
  }
}
