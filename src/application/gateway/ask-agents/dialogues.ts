import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** Whose body an agent wants. */
export type DialogueSide = 'request' | 'response';

/** A request or response whose body an agent wants, and the connection that has its head. */
export interface Dialogue {
  readonly connection: PooledAgentConnection;
  readonly side: DialogueSide;
  /** The agent takes no further chunk for now. */
  isPaused: boolean;
}

/** The side that an event is a chunk of; null where it is none. */
export const chunkSide = ({ kind }: AgentEvent): DialogueSide | null => {
  if (kind === 'request_body_chunk') return 'request';
  return kind === 'response_body_chunk' ? 'response' : null;
};

/** The side whose body an agent asks for by its answer to an event; null where there is none to ask for. */
export const askedSide = ({ kind }: AgentEvent): DialogueSide | null => {
  if (kind === 'request_headers' || kind === 'request_body_chunk') return 'request';
  return kind === 'request_complete' ? null : 'response';
};

/** The dialogues that are open with an agent, by correlation id. */
export class Dialogues {
  readonly #dialogues = new TransientMap<Dialogue>();

  get size(): number {
    return this.#dialogues.size;
  }

  get(correlationId: string): Dialogue | null {
    // Most requests are part of none, nor are others.
    return this.#dialogues.size === 0 ? null : (this.#dialogues.get(correlationId) ?? null);
  }

  ids(): readonly string[] {
    return this.#dialogues.keys();
  }

  /** INVARIANT: there is none of this id. */
  open(correlationId: string, dialogue: Dialogue): void {
    this.#dialogues.set(correlationId, dialogue);
    dialogue.connection.dialogues += 1;
  }

  /** Gives the one that was open; null where none was. */
  close(correlationId: string): Dialogue | null {
    const dialogue = this.get(correlationId);
    if (dialogue === null) return null;
    this.#dialogues.delete(correlationId);
    dialogue.connection.dialogues -= 1;
    return dialogue;
  }

  /** The connection has ended, and all that was said by it is forgotten. */
  ended(connection: PooledAgentConnection): void {
    if (connection.dialogues === 0) return;
    for (const correlationId of this.#dialogues.keys()) {
      if (this.#dialogues.get(correlationId)?.connection === connection) this.close(correlationId);
    }
  }
}
