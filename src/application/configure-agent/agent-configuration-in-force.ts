import { decodeAgentOptions } from '../../domain/configuration/agent/decode-agent-options.js';
import {
  type AgentOptionProblem,
  type AgentOptions,
  agentDefaults,
} from '../../domain/configuration/agent-configuration.js';
import type { JsonObject } from '../../domain/shared/json.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { ConfigurationGiver } from '../ports/agent-service.js';
import { canonicalJson } from './canonical-json.js';
import { type AgentParts, type PreparedAgent, prepareAgent } from './prepare-agent.js';

/** The options that are there before any gateway speaks. */
export interface StartOptions {
  /** From flags and variables: they win over every config block. */
  readonly overrides: AgentOptions;
  /** From the config block of a file; the block that a gateway hands over takes its place. */
  readonly block: AgentOptions;
}

/** Who gave the block in force; the block is known by its digest alone, because it may hold secrets. */
interface Owner {
  readonly proxyId: string;
  readonly blockDigest: string;
}

type ProblemText = Pick<AgentOptionProblem, 'severity' | 'message' | 'suggestion'>;

/** The errors on one line, for a refusal. */
const describeProblems = (problems: readonly ProblemText[]): string =>
  problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, suggestion }) => (suggestion === null ? message : `${message} (${suggestion})`))
    .join('; ');

/**
 * The one configuration of the agent. A new one is checked and made ready as a whole before it takes the old one's place;
 * requests that are being judged finish with the one they began with.
 */
export class AgentConfigurationInForce {
  readonly #start: StartOptions;
  readonly #parts: AgentParts;
  #prepared: PreparedAgent | null = null;
  #options: AgentOptions;
  #owner: Owner | null = null;
  /** Changes wait for each other: a pool of connections hands the same configuration over several times at once. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(start: StartOptions, parts: AgentParts) {
    this.#start = start;
    this.#parts = parts;
    this.#options = { ...start.block, ...start.overrides };
  }

  /** Null until one has been taken. */
  current(): PreparedAgent | null {
    return this.#prepared;
  }

  /** Takes the options of the start. */
  start(): Promise<Result<void, readonly AgentOptionProblem[]>> {
    return this.#inTurn(() => this.#take({ ...this.#start.block, ...this.#start.overrides }));
  }

  /** Makes the options in force ready anew, from the files as they are now. */
  reload(): Promise<Result<void, string>> {
    return this.#inTurn(async () => this.#described(await this.#take(this.#options)));
  }

  configure(config: JsonObject | null, giver: ConfigurationGiver): Promise<Result<void, string>> {
    return this.#inTurn(() => this.#configure(config, giver));
  }

  #inTurn<Value>(change: () => Promise<Value>): Promise<Value> {
    const turn = this.#lastChange.then(change);
    this.#lastChange = turn.catch(() => {});
    return turn;
  }

  async #configure(config: JsonObject | null, giver: ConfigurationGiver): Promise<Result<void, string>> {
    if (config === null) return this.#withoutBlock(giver);
    const canonical = canonicalJson(config);
    if (canonical === null) return err('the configuration is nested too deeply');
    const blockDigest = this.#parts.digest.digest(canonical);
    if (this.#owner?.blockDigest === blockDigest) return ok(undefined);
    if (this.#owner !== null && this.#owner.proxyId !== giver.proxyId) {
      return err('another gateway has given this agent a different configuration already');
    }
    const { options, problems } = decodeAgentOptions(config);
    if (options === null) return err(describeProblems(problems));
    const moved = this.#movedSocket(options);
    if (moved !== null) return err(moved);
    const taken = this.#described(await this.#take({ ...options, ...this.#start.overrides }));
    if (taken.ok) this.#owner = { proxyId: giver.proxyId, blockDigest };
    return taken;
  }

  /** A gateway that has no block any more takes back the one it gave; for any other, what is in force stays. */
  async #withoutBlock(giver: ConfigurationGiver): Promise<Result<void, string>> {
    if (this.#prepared !== null && this.#owner?.proxyId !== giver.proxyId) return ok(undefined);
    const taken = this.#described(await this.#take({ ...this.#start.block, ...this.#start.overrides }));
    if (taken.ok) this.#owner = null;
    return taken;
  }

  /** The socket is being served when a gateway hands over a block: another path could only be read and dropped. */
  #movedSocket({ socket }: AgentOptions): string | null {
    const { overrides, block } = this.#start;
    if (socket === undefined || overrides.socket !== undefined) return null;
    const served = block.socket ?? agentDefaults.socket;
    return socket === served ? null : `socket: the path is read at the start alone, where it was ${served}`;
  }

  #described(taken: Result<void, readonly AgentOptionProblem[]>): Result<void, string> {
    if (taken.ok) return taken;
    return err(
      describeProblems(taken.error.map((found) => ({ ...found, message: `${found.option}: ${found.message}` }))),
    );
  }

  async #take(options: AgentOptions): Promise<Result<void, readonly AgentOptionProblem[]>> {
    const made = await prepareAgent(options, this.#parts);
    if (!made.ok) return made;
    const { logger } = this.#parts;
    for (const { option, message } of made.value.warnings) logger.warn(`${option}: ${message}`);
    const { methods, failOpen } = made.value.agent;
    if (methods.length === 0) {
      logger.warn('no authentication method is configured: every request is refused with 401');
    }
    if (failOpen) logger.warn('fail-open is on: requests without a valid credential pass without an identity');
    this.#prepared = made.value.agent;
    this.#options = options;
    logger.info('configuration taken', { methods, fail_open: failOpen });
    return ok(undefined);
  }
}
