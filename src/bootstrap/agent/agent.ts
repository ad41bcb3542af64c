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
import { checkDefinition, checkOptions } from './agent-kit-checks.js';
import { AgentOptionsError, type AgentServingOptions, decidePlaces } from './agent-serving-options.js';
import { readGrpcServingTls } from './grpc-serving-tls.js';
import { type AgentAddresses, serveAgentService } from './serve-agent-service.js';

export {
  Answer,
  allow,
  blockAnswer,
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
  /** Names of headers, and prefixes ending in `*`, that only this agent may set: the gateway takes them out of what clients send. */
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
  /** False: SIGTERM and SIGINT are the program's own affair. Otherwise the agent drains and the program ends with them. */
  readonly signals?: boolean;
}

/** An agent that gateways can ask. */
export interface ServedAgent {
  readonly agentId: string;
  readonly addresses: AgentAddresses;
  /** Tells the gateways at once how it is, rather than with the next report. */
  healthChanged(): void;
  /** Takes nothing new, answers what is in flight within the grace (30 s by default), and closes. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Serves an agent. Rejects with an AgentOptionsError where the options make no sense, or with an error that says which
 * address cannot be had.
 */
export const serveAgent = async (
  definition: AgentDefinition,
  options: ServeAgentOptions = {},
): Promise<ServedAgent> => {
  checkDefinition(definition);
  checkOptions({ ...options });
  const { name } = definition;
  const { grpc, ...places } = decidePlaces(name, options, process.env);
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
