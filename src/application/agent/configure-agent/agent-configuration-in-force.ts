import type { AgentOptions } from '../../../domain/agent/configuration/agent-options-schema.js';
import { decodeAgentOptions } from '../../../domain/agent/configuration/decode-agent-options.js';
import { optionProblemText } from '../../../domain/agent/configuration/option-report.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { canonicalJson, type JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { ConfigurationGiver, ConfigurationOccasion } from '../../ports/agent/agent-service.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { ConnectedGateways } from './connected-gateways.js';
import { prepareAgent } from './prepare-agent.js';
import type { PreparedAgent } from './prepared-agent.js';
import { changedServingOption, servingOptions } from './serving-options.js';

/** The options known at start, before any gateway connects. */
export interface StartOptions {
  /** From flags and variables; they override every config block. */
  readonly overrides: AgentOptions;
  /** From the config block of a file; the block that a gateway sends replaces it. */
  readonly block: AgentOptions;
}

/** The gateway that sent the current block. Stores only a digest of the block, which may contain secrets. */
interface Owner {
  readonly proxyId: string;
  readonly blockDigest: string;
  /** When its last connection closed, by the monotonic clock; null while connected. */
  readonly goneSinceMs: number | null;
}

/**
 * How long a gateway may be away, to restart or reconnect, before another gateway may replace its block; milliseconds.
 */
const ownerGraceMs = 10_000;

/** The digest of a missing block. */
const noBlock = 'none';

type ProblemText = Pick<AgentOptionProblem, 'severity' | 'message' | 'suggestion'>;

/** Maximum remembered versions: several per connected gateway. */
const maximumVersions = 256;

/** Maximum errors in a refusal. */
const maximumDescribed = 20;

/** The errors in one line, for a refusal. */
const describeProblems = (problems: readonly ProblemText[]): string => {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const described = errors
    .slice(0, maximumDescribed)
    .map(({ message, suggestion }) => (suggestion === null ? message : `${message} (${suggestion})`));
  if (errors.length > maximumDescribed) described.push(`and ${errors.length - maximumDescribed} more`);
  return described.join('; ');
};

/**
 * The current configuration of the agent. A new one is checked and prepared completely before it replaces the old one.
 * Pending requests finish with the configuration they began with.
 */
export class AgentConfigurationInForce {
  readonly #start: StartOptions;
  readonly #parts: AgentProcessServices;
  #prepared: PreparedAgent | null = null;
  /** Stops watching the current keys and metadata. */
  #endWatch: () => void = () => {};
  #isStopped = false;
  /** Replaced configurations that still hold resources. */
  readonly #releases = new Set<Promise<void>>();
  readonly #listeners = new Set<() => void>();
  #options: AgentOptions;
  #owner: Owner | null = null;
  /** Applied changes: the other connections of a gateway repeat them. */
  readonly #takenVersions = new Set<string | null>();
  readonly #gateways = new ConnectedGateways();
  /** Changes run one after the other: a connection pool sends the same configuration several times at once. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(start: StartOptions, parts: AgentProcessServices) {
    this.#start = start;
    this.#parts = parts;
    this.#options = { ...start.block, ...start.overrides };
  }

  /** Null until one was applied. */
  current(): PreparedAgent | null {
    return this.#prepared;
  }

  /** Applies the start options. */
  start(): Promise<Result<void, readonly AgentOptionProblem[]>> {
    return this.#inTurn(() => this.#take({ ...this.#start.block, ...this.#start.overrides }));
  }

  /** Prepares the current options again from the current files. */
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

  /** Calls the listener when a configuration was applied, and when keys or metadata became fresh or stale. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Releases what the configuration keeps fresh or open; requests are still decided with its current state. Resolves
   * when everything is written and closed; never rejects.
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
    // Of two connection pools of one gateway, the older may connect last. It must not restore a configuration that was
    // replaced meanwhile.
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

  /** @param isRead whether the files of an equal block are already read */
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

  /** Removes the block of a gateway that no longer has one. For another gateway, the current configuration stays. */
  async #withoutBlock(giver: ConfigurationGiver, isRead: boolean): Promise<Result<void, string>> {
    if (this.#prepared !== null && this.#owner?.proxyId !== giver.proxyId) {
      return isRead ? ok(undefined) : this.#readAgain();
    }
    const taken = this.#described(await this.#take({ ...this.#start.block, ...this.#start.overrides }));
    if (taken.ok) this.#owner = null;
    return taken;
  }

  /** Prepares the current options again from the current files. On an error, nothing changes. */
  async #readAgain(): Promise<Result<void, string>> {
    return this.#described(await this.#take(this.#options));
  }

  #noteTaken(version: string | null): void {
    if (version === null) return;
    this.#takenVersions.add(version);
    const [oldest] = this.#takenVersions;
    if (this.#takenVersions.size > maximumVersions && oldest !== undefined) this.#takenVersions.delete(oldest);
  }

  /** Notes since when the owner is disconnected. */
  #noteOwner(): void {
    if (this.#owner === null) return;
    if (this.#gateways.isConnected(this.#owner.proxyId)) this.#owner = { ...this.#owner, goneSinceMs: null };
    else this.#owner = { ...this.#owner, goneSinceMs: this.#owner.goneSinceMs ?? this.#parts.clock.monotonicMs() };
  }

  /**
   * After the grace period, ownership goes to a gateway with the same block, otherwise to the next gateway that sends
   * one.
   */
  #releaseOwner(): void {
    const owner = this.#owner;
    if (owner === null || owner.goneSinceMs === null) return;
    if (this.#parts.clock.monotonicMs() - owner.goneSinceMs < ownerGraceMs) return;
    const heir = this.#gateways.otherThatGave(owner.blockDigest, owner.proxyId);
    this.#owner = heir === null ? null : { ...owner, proxyId: heir, goneSinceMs: null };
    this.#parts.logger.info('the gateway that sent the configuration is gone; another gateway may replace it');
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
      logger.warn(`no authentication method is configured: ${refused} gets 401`);
    }
    if (failOpen) {
      const goOn = authorization === null ? 'pass without an identity' : 'are anonymous';
      logger.warn(`fail-open is on: requests without a valid credential ${goOn}`);
    }
    this.#options = options;
    const policies = authorization === null ? {} : { policies: authorization.policyCount };
    const issuer = tokenExchange === null ? {} : { token_issuer: tokenExchange.issuer, kid: tokenExchange.kid };
    logger.info('configuration applied', { methods, fail_open: failOpen, ...policies, ...issuer });
    this.#replaceBy(made.value.agent);
    return ok(undefined);
  }

  #replaceBy(agent: PreparedAgent): void {
    const before = this.#prepared;
    this.#prepared = agent;
    this.#endWatch();
    this.#endWatch = agent.onChange(() => this.#changed());
    // The new configuration holds its leases already, so shared resources stay open.
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
