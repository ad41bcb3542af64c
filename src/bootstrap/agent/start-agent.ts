import { Container, ContainerModule } from 'inversify';
import { AgentAdminServer } from '../../adapters/inbound/agent-admin-http/agent-admin-server.js';
import { AgentGrpcError } from '../../adapters/inbound/agent-grpc/bind-address.js';
import { bindSocketPath } from '../../adapters/inbound/agent-unix-socket/bind-socket-path.js';
import { MemoryRateLimitStore } from '../../adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { CryptoRandom } from '../../adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { nodeSecretComparer } from '../../adapters/outbound/node-secret-comparer/node-secret-comparer.js';
import type { StartOptions } from '../../application/agent/configure-agent/agent-configuration-in-force.js';
import { AnswerAgentAdmin } from '../../application/agent/serve-admin/answer-agent-admin.js';
import type { AgentService } from '../../application/ports/agent/agent-service.js';
import type { AuditLog } from '../../application/ports/shared/audit-log.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { TextFileReader } from '../../application/ports/shared/text-file-reader.js';
import { type AdminAudit, AdminRequestLog } from '../../application/shared/administration/admin-request-log.js';
import { AnswerSessions } from '../../application/shared/administration/answer-sessions.js';
import { FloodWindows } from '../../application/shared/flood-windows.js';
import { agentDefaults } from '../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptions } from '../../domain/agent/configuration/agent-options-schema.js';
import {
  type AdminServingOptions,
  adminServing,
  grpcServing,
} from '../../domain/agent/configuration/serving-option-rules.js';
import type { AgentOptionProblem } from '../../domain/configuration/agent-option-problem.js';
import type { StreamAddress } from '../../domain/configuration/network-addresses.js';
import { auditLine } from '../../domain/shared/audit-line.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import { sharedTokens } from '../shared/shared-tokens.js';
import { programVersion } from '../shared/version.js';
import { agentModule, agentReportIntervals } from './agent-module.js';
import { agentTokens } from './agent-tokens.js';
import { type GrpcTlsFiles, readGrpcServingTls } from './grpc-serving-tls.js';
import {
  type AgentAddresses,
  type AgentListenAddresses,
  type ServedAgentService,
  serveAgentService,
} from './serve-agent-service.js';

/** Bindings of the agent as its own process. */
const agentProcessModule = (logger: Logger): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(sharedTokens.logger).toConstantValue(logger);
    bind(sharedTokens.version).toConstantValue(programVersion);
    bind(sharedTokens.clock)
      .toResolvedValue(() => new SystemClock(), [])
      .inSingletonScope();
    bind(sharedTokens.random)
      .toResolvedValue(() => new CryptoRandom(), [])
      .inSingletonScope();
    bind(sharedTokens.scheduler)
      .toResolvedValue(() => new NodeScheduler(), [])
      .inSingletonScope();
    bind(agentTokens.exchangeRates)
      .toResolvedValue((clock) => new MemoryRateLimitStore(clock), [sharedTokens.clock])
      .inSingletonScope();
  });

/** Grace for calls in flight, in milliseconds. */
const drainGraceMs = 30_000;

/** A started agent. */
export interface RunningAgent {
  readonly addresses: AgentAddresses & { readonly admin: StreamAddress | null };
  /**
   * Reloads keys, CAs, lists, policies and gRPC certificates from their files. If one is unusable,
   * all stay unchanged.
   */
  reload(): Promise<Result<void, string>>;
  /** Refuses new connections, finishes calls in flight, and closes. */
  stop(): Promise<void>;
}

/** The container of the agent's process. Tests rebind what they replace. */
export const agentContainer = (logger: Logger): Container => {
  const container = new Container();
  container.load(agentProcessModule(logger), agentModule);
  return container;
};

const problem = (option: AgentOptionProblem['option'], message: string): AgentOptionProblem => ({
  severity: 'error',
  option,
  message,
  suggestion: null,
});

/** The addresses to serve. Flags and variables take precedence over the config block. */
const servedAddresses = async (
  { overrides, block }: StartOptions,
  files: TextFileReader,
): Promise<
  Result<
    AgentListenAddresses & { readonly admin: AdminServingOptions | null; readonly tlsFiles: GrpcTlsFiles | null },
    readonly AgentOptionProblem[]
  >
> => {
  const options: AgentOptions = { ...block, ...overrides };
  const problems: AgentOptionProblem[] = [];
  const grpc = grpcServing(options, (option, message) => problems.push(problem(option, message)));
  // Agent and check report warnings.
  const admin = adminServing(
    options,
    (option, message) => problems.push(problem(option, message)),
    () => undefined,
  );
  if (problems.length > 0) return err(problems);
  const tls = grpc?.tls ? await readGrpcServingTls(grpc.tls, files) : null;
  if (tls?.ok === false) return err([problem('grpc-address', tls.error)]);
  return ok({
    socket: options.socket ?? agentDefaults.socket,
    grpc: grpc && { address: grpc.address, tls: tls?.value ?? null },
    metrics: options.metricsAddress ?? null,
    admin,
    tlsFiles: grpc?.tls ?? null,
  });
};

/** Rereads the TLS files of gRPC. Returns a function that applies them. */
const prepareGrpcTls = async (
  tlsFiles: GrpcTlsFiles,
  served: ServedAgentService,
  files: TextFileReader,
): Promise<Result<() => void, string>> => {
  const tls = await readGrpcServingTls(tlsFiles, files);
  if (!tls.ok) return tls;
  try {
    return ok(served.prepareGrpcTls(tls.value));
  } catch (error) {
    if (error instanceof AgentGrpcError) return err(error.message);
    throw error;
  }
};

/** The name of the agent at its own admin endpoints; a gateway that asks there shows its own name of the agent. */
const agentName = 'gateway-auth';

/** Serves the admin endpoints. Rejects with an AdminAddressError if the address is unavailable. */
const serveAdmin = async (
  { address, token }: AdminServingOptions,
  agent: Pick<AgentService, 'sessions'>,
  container: Container,
  auditLog: Pick<AuditLog, 'write'> | null,
): Promise<{ readonly server: AgentAdminServer; readonly address: StreamAddress }> => {
  const [clock, logger] = [container.get(sharedTokens.clock), container.get(sharedTokens.logger)];
  const audit: AdminAudit = {
    record: (record) => auditLog?.write(auditLine(new Date(clock.wallMs()).toISOString(), 0, record)),
    hold: () => () => undefined,
  };
  const admin = new AnswerAgentAdmin({
    token,
    isSecret: nodeSecretComparer(),
    sessions: new AnswerSessions(() => [{ name: agentName, sessions: () => agent.sessions?.() ?? null }], logger),
    requestLog: new AdminRequestLog(logger, audit, new FloodWindows(container.get(sharedTokens.scheduler))),
    logger,
  });
  const ports = { bindSocketPath, random: container.get(sharedTokens.random), logger };
  const server = new AgentAdminServer(address, admin, ports);
  return { server, address: await server.listen() };
};

/**
 * Starts the agent. Rejects with an AgentSocketError, an AgentGrpcError, a MetricsAddressError or an
 * AdminAddressError if an address is unavailable.
 *
 * @param auditLog gets a record of each change and denial at the admin endpoints
 */
export const startAgent = async (
  container: Container,
  start: StartOptions,
  auditLog: Pick<AuditLog, 'write'> | null = null,
): Promise<Result<RunningAgent, readonly AgentOptionProblem[]>> => {
  const files = container.get(agentTokens.textFileReader);
  const listenAddresses = await servedAddresses(start, files);
  if (!listenAddresses.ok) return listenAddresses;
  const agent = container.get(agentTokens.agentFactory)(start);
  const taken = await agent.start();
  if (!taken.ok) return taken;
  const parts = {
    clock: container.get(sharedTokens.clock),
    scheduler: container.get(sharedTokens.scheduler),
    logger: container.get(sharedTokens.logger),
    sockets: start.overrides.sockets ?? start.block.sockets ?? agentDefaults.sockets,
  };
  const { tlsFiles, admin: adminOptions } = listenAddresses.value;
  let served: ServedAgentService | null = null;
  let admin: Awaited<ReturnType<typeof serveAdmin>> | null = null;
  try {
    served = await serveAgentService(agent, listenAddresses.value, agentReportIntervals(start), parts);
    if (adminOptions !== null) admin = await serveAdmin(adminOptions, agent, container, auditLog);
  } catch (error) {
    await served?.drain(0);
    await agent.stop();
    throw error;
  }
  const service = served;
  return ok({
    addresses: { ...service.addresses, admin: admin?.address ?? null },
    reload: async () => {
      const tls = tlsFiles === null ? ok(() => {}) : await prepareGrpcTls(tlsFiles, service, files);
      if (!tls.ok) return tls;
      const reloaded = await agent.reload();
      if (reloaded.ok) tls.value();
      return reloaded;
    },
    stop: async () => {
      agent.drain();
      await Promise.all([service.drain(drainGraceMs), admin?.server.close(drainGraceMs)]);
      await agent.stop();
    },
  });
};
