import type { Correspondence } from '../../shared/worker-channel/correspondence.js';
import type { EndedSessions, SessionEndings } from '../sessions/session-endings.js';
import { relayDeadlineMs } from './ended-sessions-relay.js';
import { endedSessions } from './ended-sessions-topic.js';

/** What the supervisor takes beside the wait for the others, at the most; milliseconds. */
const supervisorMs = 250;

/** In a worker: tells the others through the supervisor. Whom that does not reach asks the store within seconds anyway. */
export class RelayedSessionEndings implements SessionEndings {
  readonly #correspondence: Pick<Correspondence, 'ask'>;
  readonly #listeners: ((ended: EndedSessions) => void)[] = [];

  constructor(correspondence: Pick<Correspondence, 'ask' | 'answer'>) {
    this.#correspondence = correspondence;
    correspondence.answer(endedSessions, (ended) => {
      for (const listener of this.#listeners) listener(ended);
      return null;
    });
  }

  async announce(ended: EndedSessions): Promise<void> {
    await this.#correspondence.ask(endedSessions, ended, relayDeadlineMs + supervisorMs);
  }

  hear(listener: (ended: EndedSessions) => void): void {
    this.#listeners.push(listener);
  }
}
