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

/** Numeric options with their ranges. */
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
 * Throws an AgentOptionsError if the definition is invalid. Checks method names, because a misspelt
 * method would never be called.
 */
export const checkDefinition = (definition: AgentDefinition): void => {
  const { name, version } = definition;
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name))
    refuse('name: use 1 to 64 letters, digits, dots, hyphens or underscores');
  if (typeof version !== 'string' || version === '') refuse('version: set a string such as "1.0.0"');
  for (const [key, value] of Object.entries(definition)) {
    if (typeof value === 'function' && !methods.has(key)) refuse(`${key}: unknown event`);
  }
};

const isOwnable = (name: unknown): boolean =>
  typeof name === 'string' && isToken(name.endsWith('*') ? name.slice(0, -1) : name);

/** Throws an AgentOptionsError for an unknown option or an invalid value. */
export const checkOptions = (options: Readonly<Record<string, unknown>>): void => {
  for (const key of Object.keys(options)) if (!known.has(key)) refuse(`${key}: unknown option`);
  for (const [key, [minimum, maximum]] of Object.entries(ranges)) {
    const value = options[key];
    if (value === undefined) continue;
    const isSound = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
    if (!isSound) refuse(`${key}: use an integer from ${minimum} to ${maximum}`);
  }
  const { agentId, ownedHeaders = [] } = options;
  if (agentId !== undefined && (typeof agentId !== 'string' || agentId === '' || agentId.length > 128)) {
    refuse('agentId: use 1 to 128 characters');
  }
  if (!Array.isArray(ownedHeaders) || !ownedHeaders.every(isOwnable)) {
    refuse('ownedHeaders: use header names, or prefixes that end in *');
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
  type AgentListenAddresses as AgentPlaces,
  type AgentServiceParts,
  type ServedAgentService,
  serveAgentService,
} from './serve-agent-service.js';

const standardOutput = 1;
/** Grace for calls in flight, and for the last log lines, in milliseconds. */
const drainGraceMs = 30_000;
const logGraceMs = 2_000;

/** Options with defaults. */
export interface ServeAgentOptions extends AgentServingOptions {
  /** Unique among all agents of a gateway. Default: generated. */
  readonly agentId?: string;
  /**
   * Header names, and prefixes ending in `*`, that only this agent may set. The gateway removes
   * them from client requests.
   */
  readonly ownedHeaders?: readonly string[];
  /** Maximum concurrent events per gateway. Default: 100. */
  readonly maxConcurrency?: number;
  /** Maximum octets of a body. Default: 10 MiB. */
  readonly maxBodySize?: number;
  /** Report intervals, in milliseconds. */
  readonly healthIntervalMs?: number;
  readonly metricsIntervalMs?: number;
  /** Logger of the agent. Default: JSON lines on standard output. */
  readonly logger?: Logger;
  /**
   * False: the program handles SIGTERM and SIGINT. Otherwise the agent drains and the program
   * exits.
   */
  readonly signals?: boolean;
}

/** A running agent server. */
export interface ServedAgent {
  readonly agentId: string;
  readonly addresses: AgentAddresses;
  /** Sends the health state to gateways now, not with the next report. */
  healthChanged(): void;
  /** Refuses new calls, finishes those in flight within the grace (default 30 s), and closes. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Serves an agent. Rejects with an AgentOptionsError for invalid options, or with an error that
 * names the unavailable address.
 */
export const serveAgent = async (
  definition: AgentDefinition,
  options: ServeAgentOptions = {},
): Promise<ServedAgent> => {
  checkDefinition(definition);
  checkOptions({ ...options });
  const { name } = definition;
  const { grpc, ...listenAddresses } = resolveAddresses(name, options, process.env);
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
    { ...listenAddresses, grpc: grpc && { address: grpc.address, tls: read?.value ?? null } },
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
