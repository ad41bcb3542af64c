import { canonicalJson, type JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ConfigurationGiver, ConfigurationOccasion } from '../../ports/agent/agent-service.js';
import type { Logger } from '../../ports/shared/logger.js';
import { ConnectedGateways } from '../configure-agent/connected-gateways.js';
import type { AgentDefinition } from './agent-definition.js';

const noBlock = 'none';

/**
 * The configuration that gateways hand over: one for the whole agent. The gateway that gave it may change it; from
 * another one, while that is connected, a different one is refused.
 */
export class HandedConfiguration {
  readonly #definition: Pick<AgentDefinition, 'configure'>;
  readonly #logger: Logger;
  readonly #gateways = new ConnectedGateways();
  #inForce: string | null = null;
  #owner: string | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(definition: Pick<AgentDefinition, 'configure'>, logger: Logger) {
    this.#definition = definition;
    this.#logger = logger;
  }

  /** Whether any has been taken: before, nothing can be decided. */
  get isTaken(): boolean {
    return this.#inForce !== null;
  }

  /** One after the other. An error is the reason for refusing it. */
  take(
    config: JsonObject | null,
    giver: ConfigurationGiver,
    occasion: ConfigurationOccasion,
  ): Promise<Result<void, string>> {
    this.#gateways.opened(giver);
    const turn = this.#turn.then(() => this.#take(config, giver, occasion));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  disconnected(connection: symbol): void {
    this.#gateways.closed(connection);
  }

  async #take(
    config: JsonObject | null,
    giver: ConfigurationGiver,
    occasion: ConfigurationOccasion,
  ): Promise<Result<void, string>> {
    const text = config === null ? noBlock : canonicalJson(config);
    if (text === null) return err('the configuration is nested too deeply');
    const { proxyId } = giver;
    // Of two pools of one gateway the older may greet last.
    if (occasion === 'handshake' && this.#gateways.hasReplaced(proxyId, text)) {
      return err('this gateway has replaced that configuration by a later one already');
    }
    if (text !== this.#inForce) {
      const owner = this.#owner;
      if (owner !== null && owner !== proxyId && this.#gateways.isConnected(owner)) {
        return err('another gateway has given this agent a different configuration already');
      }
      const refusal = await this.#offer(config);
      if (refusal !== null) return err(refusal);
      this.#inForce = text;
      this.#owner = proxyId;
    }
    this.#gateways.agreed(giver, text);
    return ok(undefined);
  }

  async #offer(config: JsonObject | null): Promise<string | null> {
    try {
      return (await this.#definition.configure?.(config)) ?? null;
    } catch (error) {
      this.#logger.error('the configuration could not be taken', {
        error: error instanceof Error ? error.message : String(error),
      });
      return 'the agent failed';
    }
  }
}
