import { canonicalJson, type JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ConfigurationGiver, ConfigurationOccasion } from '../../ports/agent/agent-service.js';
import type { Logger } from '../../ports/shared/logger.js';
import { ConnectedGateways } from '../configure-agent/connected-gateways.js';
import type { AgentDefinition } from './agent-definition.js';

const noBlock = 'none';

/**
 * The configuration that gateways send: one for the whole agent. Only the gateway that sent it may change it. While
 * that gateway is connected, a different configuration from another gateway is refused.
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

  /** Whether a configuration was accepted. Before that, no event can be decided. */
  get isTaken(): boolean {
    return this.#inForce !== null;
  }

  /** Applies configurations one after the other. The error is the reason to refuse it. */
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
    // Of two connection pools of one gateway, the older may connect last.
    if (occasion === 'handshake' && this.#gateways.hasReplaced(proxyId, text)) {
      return err('this gateway has already replaced that configuration');
    }
    if (text !== this.#inForce) {
      const owner = this.#owner;
      if (owner !== null && owner !== proxyId && this.#gateways.isConnected(owner)) {
        return err('another gateway has already given this agent a different configuration');
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
      this.#logger.error('the configure method of the agent failed', {
        error: error instanceof Error ? error.message : String(error),
      });
      return 'the agent failed';
    }
  }
}
