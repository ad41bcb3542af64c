import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import { decodeAgentOptions } from '../../../domain/agent/configuration/decode-agent-options.js';
import { optionProblemText } from '../../../domain/agent/configuration/option-report.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { canonicalJson, type JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ConfigurationGiver, ConfigurationOccasion } from '../../ports/agent/agent-service.js';
import type { AgentParts } from './agent-parts.js';
import { ConnectedGateways } from './connected-gateways.js';
import { prepareAgent } from './prepare-agent.js';
import type { PreparedAgent } from './prepared-agent.js';
import { changedServingOption, servingOptions } from './serving-options.js';

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
  /** When its last connection ended, on the monotonic clock; null while it is connected. */
  readonly goneSinceMs: number | null;
}

/** How long a gateway may be away, to restart or to connect anew, until another one may take its place. */
const ownerGraceMs = 10_000;

/** Stands for the digest where a gateway has no block to give. */
const noBlock = 'none';

type ProblemText = Pick<AgentOptionProblem, 'severity' | 'message' | 'suggestion'>;

/** Taken changes that are remembered, at most: several per connected gateway. */
const maximumVersions = 256;

/** Errors that one refusal names, at most. */
const maximumDescribed = 20;

/** The errors on one line, for a refusal. */
const describeProblems = (problems: readonly ProblemText[]): string => {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const described = errors
    .slice(0, maximumDescribed)
    .map(({ message, suggestion }) => (suggestion === null ? message : `${message} (${suggestion})`));
  if (errors.length > maximumDescribed) described.push(`and ${errors.length - maximumDescribed} more`);
  return described.join('; ');
};

/**
 * The one configuration of the agent. A new one is checked and made ready as a whole before it takes the old one's
 * place; requests that are being judged finish with the one they began with.
 */
export class AgentConfigurationInForce {
  readonly #start: StartOptions;
  readonly #parts: AgentParts;
  #prepared: PreparedAgent | null = null;
  /** Ends the watch over the keys and metadata in force. */
  #endWatch: () => void = () => {};
  #isStopped = false;
  /** Configurations that are no longer in force, and have not let go of everything yet. */
  readonly #releases = new Set<Promise<void>>();
  readonly #listeners = new Set<() => void>();
  #options: AgentOptions;
  #owner: Owner | null = null;
  /** Changes that are taken already: the other connections of a gateway bring them again. */
  readonly #takenVersions = new Set<string | null>();
  readonly #gateways = new ConnectedGateways();
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
    return this.#inTurn(() => this.#readAgain());
  }

  configure(
    config: JsonObject | null,
    giver: ConfigurationGiver,
    occasion: ConfigurationOccasion,
    version: string | null,
  ): Promise<Result<void, string>> {
    this.#gateways.opened(giver);
    return this.#inTurn(async () => {
      const isRead = occasion === 'handshake' || this.#takenVersions.has(version);
      const taken = await this.#configure(config, giver, occasion, isRead);
      if (taken.ok && occasion === 'change') this.#noteTaken(version);
      return taken;
    });
  }

  /** Calls back when a configuration has been taken, and when the keys of a provider came or went stale. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Lets go of what is kept fresh or open for the configuration. It judges on with what it has. Resolves once
   * everything is written and closed; never rejects.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endWatch();
    if (this.#prepared !== null) this.#release(this.#prepared);
    await Promise.all(this.#releases);
  }

  disconnected(connection: symbol): void {
    this.#gateways.closed(connection);
    this.#noteOwner();
  }

  #inTurn<Value>(change: () => Promise<Value>): Promise<Value> {
    const turn = this.#lastChange.then(change);
    this.#lastChange = turn.catch(() => {});
    return turn;
  }

  async #configure(
    config: JsonObject | null,
    giver: ConfigurationGiver,
    occasion: ConfigurationOccasion,
    isRead: boolean,
  ): Promise<Result<void, string>> {
    const canonical = config === null ? null : canonicalJson(config);
    if (config !== null && canonical === null) return err('the configuration is nested too deeply');
    const digest = canonical === null ? noBlock : this.#parts.digest.digest(canonical);
    this.#releaseOwner();
    // Of two pools of one gateway the older may greet last: what it has replaced meanwhile must not come back by that.
    if (occasion === 'handshake' && this.#gateways.hasReplaced(giver.proxyId, digest)) {
      return err('this gateway has already replaced that configuration');
    }
    const taken = await (config === null
      ? this.#withoutBlock(giver, isRead)
      : this.#withBlock(config, digest, giver, isRead));
    if (taken.ok) this.#gateways.agreed(giver, digest);
    this.#noteOwner();
    return taken;
  }

  /** @param isRead the files that an equal block names need not be read again */
  async #withBlock(
    config: JsonObject,
    blockDigest: string,
    giver: ConfigurationGiver,
    isRead: boolean,
  ): Promise<Result<void, string>> {
    if (this.#owner?.blockDigest === blockDigest) return isRead ? ok(undefined) : this.#readAgain();
    if (this.#owner !== null && this.#owner.proxyId !== giver.proxyId) {
      return err('another gateway has already given this agent a different configuration');
    }
    const { options, problems } = decodeAgentOptions(config);
    if (options === null) return err(describeProblems(problems));
    const { block, overrides } = this.#start;
    const changed = changedServingOption(options, this.#start);
    if (changed !== null) return err(changed);
    const taken = this.#described(await this.#take({ ...options, ...servingOptions(block), ...overrides }));
    if (taken.ok) this.#owner = { proxyId: giver.proxyId, blockDigest, goneSinceMs: null };
    return taken;
  }

  /** A gateway that has no block any more takes back the one it gave; for any other, what is in force stays. */
  async #withoutBlock(giver: ConfigurationGiver, isRead: boolean): Promise<Result<void, string>> {
    if (this.#prepared !== null && this.#owner?.proxyId !== giver.proxyId) {
      return isRead ? ok(undefined) : this.#readAgain();
    }
    const taken = this.#described(await this.#take({ ...this.#start.block, ...this.#start.overrides }));
    if (taken.ok) this.#owner = null;
    return taken;
  }

  /** Prepares the options in force again, from their files as they are now. An error leaves everything as it was. */
  async #readAgain(): Promise<Result<void, string>> {
    return this.#described(await this.#take(this.#options));
  }

  #noteTaken(version: string | null): void {
    if (version === null) return;
    this.#takenVersions.add(version);
    const [oldest] = this.#takenVersions;
    if (this.#takenVersions.size > maximumVersions && oldest !== undefined) this.#takenVersions.delete(oldest);
  }

  /** Notes since when the owner has been away. */
  #noteOwner(): void {
    if (this.#owner === null) return;
    if (this.#gateways.isConnected(this.#owner.proxyId)) this.#owner = { ...this.#owner, goneSinceMs: null };
    else this.#owner = { ...this.#owner, goneSinceMs: this.#owner.goneSinceMs ?? this.#parts.clock.monotonicMs() };
  }

  /** An owner that stays away gives its place to a gateway that has the same block, else to whoever comes next. */
  #releaseOwner(): void {
    const owner = this.#owner;
    if (owner === null || owner.goneSinceMs === null) return;
    if (this.#parts.clock.monotonicMs() - owner.goneSinceMs < ownerGraceMs) return;
    const heir = this.#gateways.otherThatGave(owner.blockDigest, owner.proxyId);
    this.#owner = heir === null ? null : { ...owner, proxyId: heir, goneSinceMs: null };
    this.#parts.logger.info('the gateway that gave the configuration is gone; another one may replace it');
  }

  #described(taken: Result<void, readonly AgentOptionProblem[]>): Result<void, string> {
    if (taken.ok) return taken;
    return err(describeProblems(taken.error.map((found) => ({ ...found, message: optionProblemText(found) }))));
  }

  async #take(options: AgentOptions): Promise<Result<void, readonly AgentOptionProblem[]>> {
    const made = await prepareAgent(options, this.#parts);
    if (!made.ok) return made;
    const { logger } = this.#parts;
    for (const warning of made.value.warnings) logger.warn(optionProblemText(warning));
    const { methods, failOpen, authorization, tokenExchange } = made.value.agent;
    if (methods.length === 0) {
      const refused = tokenExchange === null ? 'every request' : 'every request but those for tokens';
      logger.warn(`no authentication method is configured: ${refused} is refused with 401`);
    }
    if (failOpen) {
      const goOn = authorization === null ? 'pass without an identity' : 'are judged as anonymous';
      logger.warn(`fail-open is on: requests without a valid credential ${goOn}`);
    }
    this.#options = options;
    const policies = authorization === null ? {} : { policies: authorization.policyCount };
    const issuer = tokenExchange === null ? {} : { token_issuer: tokenExchange.issuer, kid: tokenExchange.kid };
    logger.info('configuration taken', { methods, fail_open: failOpen, ...policies, ...issuer });
    this.#replaceBy(made.value.agent);
    return ok(undefined);
  }

  #replaceBy(agent: PreparedAgent): void {
    const before = this.#prepared;
    this.#prepared = agent;
    this.#endWatch();
    this.#endWatch = agent.onChange(() => this.#changed());
    // The new one has its leases already: what both use is kept.
    if (before !== null) this.#release(before);
    if (this.#isStopped) void this.stop();
    this.#changed();
  }

  #release(agent: PreparedAgent): void {
    const released = agent.release().finally(() => this.#releases.delete(released));
    this.#releases.add(released);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
