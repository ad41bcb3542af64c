import type { Clock } from '../../ports/shared/clock.js';
import type { WorkerChannel } from '../../shared/worker-channel/worker-channel.js';
import {
  type AssertionMemories,
  type AssertionMemory,
  SpentAssertionsOfAgents,
  type TakenAssertion,
} from '../exchange-token/spent-assertions.js';
import { giveBackAssertion, takeAssertion } from './store-topics.js';

/** In the supervisor: remembers the used client assertions of all workers. */
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

/** Timeout for the supervisor's reply, in milliseconds. */
export const assertionDeadlineMs = 2_000;

/** In a worker: the supervisor decides whether an assertion is new. Assertions seen by this worker are cached here. */
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
    // A replay then needs no call to the supervisor, and does not count against the client's rate.
    if (answered.value !== 'full') await here.take(clientId, id);
    return answered.value;
  }
}
