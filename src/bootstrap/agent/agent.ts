import { randomUUID } from 'node:crypto';
import { ProcessSignals } from '../../adapters/inbound/process-signals/process-signals.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { NodeTextFileReader } from '../../adapters/outbound/node-text-files/node-text-file-reader.js';
import { LogOutput } from '../../adapters/outbound/pino-log/log-output.js';
import { PinoLogger } from '../../adapters/outbound/pino-log/pino-logger.js';
import type { AgentDefinition } from '../../application/agent/agent-kit/agent-definition.js';
import { DefinedAgent } from '../../application/agent/agent-kit/defined-agent.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import { agentDefaults } from '../../domain/agent/configuration/agent-configuration.js';
import { defaultAgentLimits } from '../../domain/agent-protocol/capabilities.js';
import { isToken } from '../../domain/http/field-syntax.js';
import { AgentOptionsError, type AgentServingOptions, resolveAddresses } from './agent-serving-options.js';
import { readGrpcServingTls } from './grpc-serving-tls.js';
import { type AgentAddresses, serveAgentService } from './serve-agent-service.js';

const methods: ReadonlySet<string> = new Set<keyof AgentDefinition>([
  'configure',
  'requestHeaders',
  'requestBodyChunk',
  'responseHeaders',
  'responseBodyChunk',
  'requestComplete',
  'cancelled',
  'health',
  'metrics',
]);

/** Numbers of the kit, with what they may be. */
const ranges = {
  maxConcurrency: [1, 100_000],
  maxBodySize: [1, 1_073_741_824],
  healthIntervalMs: [100, 3_600_000],
  metricsIntervalMs: [100, 3_600_000],
} as const;

const known: ReadonlySet<string> = new Set([
  ...Object.keys(ranges),
  'socket',
  'grpc',
  'metricsAddress',
  'agentId',
  'ownedHeaders',
  'logger',
  'signals',
]);

const refuse = (message: string): never => {
  throw new AgentOptionsError(message);
};

/**
 * Throws an AgentOptionsError where the definition cannot be an agent: a misspelt method would
 * never be called.
 */
export const checkDefinition = (definition: AgentDefinition): void => {
  const { name, version } = definition;
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name)) refuse('name: 1 to 64 letters, digits, dots, hyphens');
  if (typeof version !== 'string' || version === '') refuse('version: a text, as in "1.0.0"');
  for (const [key, value] of Object.entries(definition)) {
    if (typeof value === 'function' && !methods.has(key)) refuse(`${key}: there is no event of this name`);
  }
};

const isOwnable = (name: unknown): boolean =>
  typeof name === 'string' && isToken(name.endsWith('*') ? name.slice(0, -1) : name);

/** Throws an AgentOptionsError where an option is none, or has a value that makes no sense. */
export const checkOptions = (options: Readonly<Record<string, unknown>>): void => {
  for (const key of Object.keys(options)) if (!known.has(key)) refuse(`${key}: there is no such option`);
  for (const [key, [least, most]] of Object.entries(ranges)) {
    const value = options[key];
    if (value === undefined) continue;
    const isSound = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
    if (!isSound) refuse(`${key}: a whole number from ${least} to ${most}`);
  }
  const { agentId, ownedHeaders = [] } = options;
  if (agentId !== undefined && (typeof agentId !== 'string' || agentId === '' || agentId.length > 128)) {
    refuse('agentId: 1 to 128 characters');
  }
  if (!Array.isArray(ownedHeaders) || !ownedHeaders.every(isOwnable)) {
    refuse('ownedHeaders: names of headers, and prefixes that end in *');
  }
};

export {
  Answer,
  allow,
  blockAnswer as block,
  challenge,
  needBody,
  redirect,
} from '../../application/agent/agent-kit/agent-answers.js';
export type { AgentDefinition, AgentReply } from '../../application/agent/agent-kit/agent-definition.js';
export type {
  AgentBodyChunk,
  AgentHeaders,
  AgentRequest,
  AgentResponseHead,
} from '../../application/agent/agent-kit/agent-request.js';
export type {
  AgentService,
  ConfigurationGiver,
  ConfigurationOccasion,
} from '../../application/ports/agent/agent-service.js';
export type { AgentState } from '../../domain/agent-protocol/health.js';
export type {
  AgentAnswer,
  AgentEvent,
  CancelReason,
  RequestCompleteEvent,
  RequestMetadata,
} from '../../domain/agent-protocol/messages.js';
export type { MetricsReport, ReportedValue } from '../../domain/agent-protocol/metrics-report.js';
export type { JsonObject, JsonValue } from '../../domain/shared/json.js';
export { type AgentGrpcTls, AgentOptionsError, type AgentServingOptions } from './agent-serving-options.js';
export {
  type AgentAddresses,
  type AgentPlaces,
  type AgentServiceParts,
  type ServedAgentService,
  serveAgentService,
} from './serve-agent-service.js';

const standardOutput = 1;
/** How long calls in flight have to end, and the last log lines to be written, in milliseconds. */
const drainGraceMs = 30_000;
const logGraceMs = 2_000;

/** Everything that has a default. */
export interface ServeAgentOptions extends AgentServingOptions {
  /** Unique among all agents of a gateway; made up where it is missing. */
  readonly agentId?: string;
  /**
   * Names of headers, and prefixes ending in `*`, that only this agent may set: the gateway takes
   * them out of what clients send.
   */
  readonly ownedHeaders?: readonly string[];
  /** Events at a time from each gateway; 100 by default. */
  readonly maxConcurrency?: number;
  /** Octets of a body; 10 MiB by default. */
  readonly maxBodySize?: number;
  /** Between two reports, in milliseconds. */
  readonly healthIntervalMs?: number;
  readonly metricsIntervalMs?: number;
  /** Where its log lines go; JSON lines to the standard output where it is missing. */
  readonly logger?: Logger;
  /**
   * False: SIGTERM and SIGINT are the program's own affair. Otherwise the agent drains and the
   * program ends with them.
   */
  readonly signals?: boolean;
}

/** An agent that gateways can ask. */
export interface ServedAgent {
  readonly agentId: string;
  readonly addresses: AgentAddresses;
  /** Tells the gateways at once how it is, rather than with the next report. */
  healthChanged(): void;
  /**
   * Takes nothing new, answers what is in flight within the grace (30 s by default), and closes.
   */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Serves an agent. Rejects with an AgentOptionsError where the options make no sense, or with an
 * error that says which address cannot be had.
 */
export const serveAgent = async (
  definition: AgentDefinition,
  options: ServeAgentOptions = {},
): Promise<ServedAgent> => {
  checkDefinition(definition);
  checkOptions({ ...options });
  const { name } = definition;
  const { grpc, ...places } = resolveAddresses(name, options, process.env);
  const read = grpc?.tls ? await readGrpcServingTls(grpc.tls, new NodeTextFileReader()) : null;
  if (read?.ok === false) throw new AgentOptionsError(read.error);
  const output = options.logger ? null : new LogOutput({ fileDescriptor: standardOutput, format: null });
  const logger = options.logger ?? new PinoLogger('info', output as LogOutput);
  const clock = new SystemClock();
  const agentId = options.agentId ?? `${name}-${randomUUID()}`;
  const intervals = {
    healthIntervalMs: options.healthIntervalMs ?? agentDefaults.healthIntervalMs,
    metricsIntervalMs: options.metricsIntervalMs ?? agentDefaults.metricsIntervalMs,
  };
  const traits = {
    agentId,
    ownedHeaders: options.ownedHeaders ?? [],
    maxConcurrency: options.maxConcurrency ?? defaultAgentLimits.maxConcurrency,
    maxBodySize: options.maxBodySize ?? defaultAgentLimits.maxBodySize,
    ...intervals,
  };
  const agent = new DefinedAgent(definition, traits, { clock, logger });
  const served = await serveAgentService(
    agent,
    { ...places, grpc: grpc && { address: grpc.address, tls: read?.value ?? null } },
    intervals,
    { clock, scheduler: new NodeScheduler(), logger },
  );
  let stopping: Promise<void> | null = null;
  const stopOnce = async (graceMs: number): Promise<void> => {
    agent.drain();
    await served.drain(graceMs);
    await agent.stop();
    await output?.close(logGraceMs);
  };
  const stop = (graceMs = drainGraceMs): Promise<void> => {
    stopping ??= stopOnce(graceMs);
    return stopping;
  };
  if (options.signals !== false) {
    const drain = async (signal: NodeJS.Signals): Promise<void> => {
      logger.info('the agent drains', { signal });
      await stop();
      process.exit(0);
    };
    const endAtOnce = (): void => {
      output?.flushSync();
      process.exit(1);
    };
    new ProcessSignals(process, { drain: (signal) => void drain(signal), endAtOnce, reload: () => {} }).listen();
  }
  return { agentId, addresses: served.addresses, healthChanged: () => agent.noteHealth(), stop };
};
