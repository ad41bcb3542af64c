import { alwaysOwned, type OwnedHeaders, ownedHeaders } from '../../domain/identity/owned-headers.js';
import type { AgentClient } from '../ports/agent-client.js';

/**
 * The headers that only the agents of a route may set: the fixed ones, those that the configuration names, and those
 * that each agent said in its last handshake.
 */
export class OwnedHeadersOfAgents {
  readonly #agents: readonly AgentClient[];
  readonly #configured: readonly string[];
  readonly #said: (readonly string[] | null)[];
  #compiled: OwnedHeaders;

  constructor(agents: readonly AgentClient[], configured: readonly string[]) {
    this.#agents = agents;
    this.#configured = configured;
    this.#said = agents.map(() => null);
    this.#compiled = ownedHeaders([...alwaysOwned, ...configured]);
  }

  current(): OwnedHeaders {
    let changed = false;
    for (let index = 0; index < this.#agents.length; index += 1) {
      const said = this.#agents[index]?.capabilities()?.ownedHeaders ?? null;
      if (said === null || said === this.#said[index]) continue;
      this.#said[index] = said;
      changed = true;
    }
    if (changed) {
      this.#compiled = ownedHeaders([...alwaysOwned, ...this.#configured, ...this.#said.flatMap((said) => said ?? [])]);
    }
    return this.#compiled;
  }
}
