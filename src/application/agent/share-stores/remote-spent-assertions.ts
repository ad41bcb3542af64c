import type { Clock } from '../../ports/shared/clock.js';
import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import {
  type AssertionMemories,
  type AssertionMemory,
  SpentAssertionsOfAgents,
  type TakenAssertion,
} from '../exchange-token/spent-assertions.js';
import { giveBackAssertion, takeAssertion } from './store-topics.js';

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

/** How long a worker waits to hear whether an assertion was taken before, in milliseconds. */
export const assertionDeadlineMs = 2_000;

/**
 * In a worker: the supervisor decides which assertion comes for the first time. What came here before is known here.
 */
export class RemoteSpentAssertions implements AssertionMemories {
  readonly #channel: Pick<WorkerChannel, 'ask' | 'tell'>;
  readonly #here: SpentAssertionsOfAgents;

  constructor(channel: Pick<WorkerChannel, 'ask' | 'tell'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#channel = channel;
    this.#here = new SpentAssertionsOfAgents(clock);
  }

  of(agent: string | null): AssertionMemory {
    const here = this.#here.of(agent);
    return {
      has: (clientId, id) => here.has(clientId, id),
      take: (clientId, id) => (here.has(clientId, id) ? 'seen' : this.#take(here, agent, clientId, id)),
      giveBack: (clientId, id) => {
        here.giveBack(clientId, id);
        this.#channel.tell(giveBackAssertion, { agent, clientId, id });
      },
    };
  }

  async #take(here: AssertionMemory, agent: string | null, clientId: string, id: string): Promise<TakenAssertion> {
    const answered = await this.#channel.ask(takeAssertion, { agent, clientId, id }, assertionDeadlineMs);
    if (!answered.ok) return 'unavailable';
    // Whoever shows it again costs the client nothing of its rate, and the supervisor no question.
    if (answered.value !== 'full') await here.take(clientId, id);
    return answered.value;
  }
}
