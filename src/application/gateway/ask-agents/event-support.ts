import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { AgentSubscription } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { Logger } from '../../ports/shared/logger.js';
import { agentWordLimits } from './agent-words.js';

/** Ids that are remembered as warned about, at the most: an agent that comes back under ever new ones fills no memory. */
const maximumWarned = 64;

/** What an agent supports of what its block subscribes it to. */
export class EventSupport {
  readonly #agent: string;
  readonly #subscribed: readonly AgentSubscription[];
  readonly #logger: Logger;
  readonly #warned = new Set<string>();
  #capabilities: AgentCapabilities | null = null;
  #supported: ReadonlySet<string> = new Set();
  #missing: readonly AgentSubscription[] = [];

  constructor(agent: string, subscribed: readonly AgentSubscription[], logger: Logger) {
    this.#agent = agent;
    this.#subscribed = subscribed;
    this.#logger = logger;
  }

  /** Takes what the agent last said of itself; null where it has said nothing yet. */
  review(capabilities: AgentCapabilities | null): void {
    // The same object from one handshake to the next.
    if (capabilities === this.#capabilities || capabilities === null) return;
    this.#capabilities = capabilities;
    this.#supported = new Set(capabilities.supportedEvents);
    this.#missing = this.#subscribed.filter((event) => !this.#supported.has(event));
    if (this.#missing.length > 0) this.#warn(capabilities.agentId.slice(0, agentWordLimits.id), this.#missing);
  }

  /** What the agent is subscribed to, and has said that it does not take. */
  get missing(): readonly AgentSubscription[] {
    return this.#missing;
  }

  /** Nothing is held against an agent that has said nothing yet. */
  has(event: AgentEvent['kind']): boolean {
    return this.#capabilities === null || this.#supported.has(event);
  }

  #warn(agentId: string, missing: readonly AgentSubscription[]): void {
    if (this.#warned.has(agentId)) return;
    const [oldest] = this.#warned;
    if (this.#warned.size >= maximumWarned && oldest !== undefined) this.#warned.delete(oldest);
    this.#warned.add(agentId);
    this.#logger.warn('Agent does not support events that it is subscribed to', {
      agent: this.#agent,
      agent_id: agentId,
      events: missing,
    });
  }
}
