import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** The message whose body an agent reads. */
export type DialogueSide = 'request' | 'response';

/** The inspection of a request or response body by an agent, on the connection that carried its head. */
export interface Dialogue {
  readonly connection: PooledAgentConnection;
  readonly side: DialogueSide;
  /** The agent accepts no chunks at the moment. */
  isPaused: boolean;
}

/** The side of a body chunk; null: the event is not a chunk. */
export const chunkSide = ({ kind }: AgentEvent): DialogueSide | null => {
  if (kind === 'request_body_chunk') return 'request';
  return kind === 'response_body_chunk' ? 'response' : null;
};

/** The side whose body an answer to an event can ask for; null: none. */
export const askedSide = ({ kind }: AgentEvent): DialogueSide | null => {
  if (kind === 'request_headers' || kind === 'request_body_chunk') return 'request';
  return kind === 'request_complete' ? null : 'response';
};

/** The open dialogues with an agent, by correlation id. */
export class Dialogues {
  readonly #dialogues = new TransientMap<Dialogue>();

  get size(): number {
    return this.#dialogues.size;
  }

  get(correlationId: string): Dialogue | null {
    // Fast path: most requests have no dialogue.
    return this.#dialogues.size === 0 ? null : (this.#dialogues.get(correlationId) ?? null);
  }

  ids(): readonly string[] {
    return this.#dialogues.keys();
  }

  /** INVARIANT: no dialogue with this id is open. */
  open(correlationId: string, dialogue: Dialogue): void {
    this.#dialogues.set(correlationId, dialogue);
    dialogue.connection.dialogues += 1;
  }

  /** Returns the dialogue that was open; null: none. */
  close(correlationId: string): Dialogue | null {
    const dialogue = this.get(correlationId);
    if (dialogue === null) return null;
    this.#dialogues.delete(correlationId);
    dialogue.connection.dialogues -= 1;
    return dialogue;
  }

  /** Closes the dialogues of a connection that has ended. */
  ended(connection: PooledAgentConnection): void {
    if (connection.dialogues === 0) return;
    for (const correlationId of this.#dialogues.keys()) {
      if (this.#dialogues.get(correlationId)?.connection === connection) this.close(correlationId);
    }
  }
}
