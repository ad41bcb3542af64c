import type { Container } from 'inversify';
import { AdminAddressError } from '../../adapters/inbound/agent-admin-http/agent-admin-server.js';
import type { AgentCommand, AgentRun } from '../../adapters/inbound/agent-command-line/parse-agent-arguments.js';
import { AgentGrpcError } from '../../adapters/inbound/agent-grpc/bind-address.js';
import { MetricsAddressError } from '../../adapters/inbound/agent-metrics-http/agent-metrics-server.js';
import { AgentSocketError } from '../../adapters/inbound/agent-unix-socket/bind-socket-path.js';
import { lineFormat } from '../../adapters/outbound/pino-log/line-format.js';
import { LogOutput } from '../../adapters/outbound/pino-log/log-output.js';
import { OutputAuditLog } from '../../adapters/outbound/pino-log/output-audit-log.js';
import { PinoLogger } from '../../adapters/outbound/pino-log/pino-logger.js';
import type { StartOptions } from '../../application/agent/configure-agent/agent-configuration-in-force.js';
import { tryAgent } from '../../application/agent/configure-agent/try-agent.js';
import type { AgentBlockReader } from '../../application/ports/agent/agent-block-reader.js';
import { decodeAgentOptionTexts } from '../../domain/agent/configuration/decode-agent-options.js';
import { locatedProblem, toConfigurationProblem } from '../../domain/agent/configuration/option-report.js';
import type { AgentOptionProblem, OptionSource } from '../../domain/configuration/agent-option-problem.js';
import { type ConfigurationProblem, formatProblem } from '../../domain/configuration/configuration-problem.js';
import type { LogConfiguration } from '../../domain/configuration/log-configuration.js';
import { logDebugSignal } from '../shared/debug-signal.js';
import { type WatchedSignals, watchSignals } from '../shared/watch-signals.js';
import { agentTokens } from './agent-tokens.js';
import { agentContainer, type RunningAgent, startAgent } from './start-agent.js';

interface ReadStartOptions {
  /** Null after an error. */
  readonly start: StartOptions | null;
  readonly problems: readonly ConfigurationProblem[];
  /** The position of an option's problem in the file; null: the option is not from the file. */
  readonly locate: (problem: AgentOptionProblem) => OptionSource | null;
}

/** Merges flags, variables and the config block of a file. */
export const readStartOptions = async (
  run: AgentRun,
  openBlocks: (configFile: string) => Promise<AgentBlockReader>,
): Promise<ReadStartOptions> => {
  const given = decodeAgentOptionTexts(run.options);
  if (run.block === null) {
    const start = given.options && { overrides: given.options, block: {} };
    return { start, problems: given.problems, locate: () => null };
  }
  const readBlock = await openBlocks(run.block.configFile);
  const block = await readBlock(run.block.agentName);
  const problems = [...given.problems, ...block.problems];
  // Options in nested blocks come only from the configuration block.
  const { locate } = block;
  if (given.options === null || block.options === null) return { start: null, problems, locate };
  return { start: { overrides: given.options, block: block.options }, problems, locate };
};

interface AgentCheck {
  /** Errors and warnings. */
  readonly problems: readonly AgentOptionProblem[];
  /** A summary in a few lines; null after an error. */
  readonly summary: string | null;
}

/**
 * Prepares everything that the agent needs to decide requests, and reports. Serves nothing and
 * leaves nothing running.
 */
export const checkAgent = async (container: Container, { block, overrides }: StartOptions): Promise<AgentCheck> => {
  const { problems, agent } = await tryAgent(
    { ...block, ...overrides },
    container.get(agentTokens.agentProcessServices),
  );
  if (agent === null) return { problems, summary: null };
  const { methods, failOpen, authorization, tokenExchange } = agent;
  const accepted =
    methods.length === 0
      ? 'No method is configured: every request is refused until a gateway hands over a configuration.'
      : `Methods: ${methods.join(', ')}.`;
  const decided = authorization === null ? '' : `\nPolicies: ${authorization.policyCount}.`;
  const goOn = authorization === null ? 'pass without an identity' : 'are anonymous';
  const lenient = failOpen ? `\nFail-open: requests without a valid credential ${goOn}.` : '';
  const issued =
    tokenExchange === null
      ? ''
      : `\nTokens are issued at ${tokenExchange.endpointPath} for ${tokenExchange.issuer}, signed with the key ${tokenExchange.kid}.`;
  return { problems, summary: `The configuration is fine. ${accepted}${decided}${lenient}${issued}` };
};

/** Grace for the last log lines, in milliseconds. */
const logGraceMs = 2_000;
const standardOutput = 1;

/** Whether the error's message is enough for the user, without a stack. */
const isAddressError = (error: unknown): error is Error =>
  error instanceof AgentSocketError ||
  error instanceof AgentGrpcError ||
  error instanceof MetricsAddressError ||
  error instanceof AdminAddressError;

const writeProblems = (problems: readonly ConfigurationProblem[]): void => {
  for (const problem of problems) process.stderr.write(`${formatProblem(problem)}\n`);
};

const writeOptionProblems = (problems: readonly AgentOptionProblem[], locate: ReadStartOptions['locate']): void =>
  writeProblems(problems.map((problem) => toConfigurationProblem(locatedProblem(problem, locate(problem)))));

/** Serves until a signal. Resolves with the exit code. */
const serve = async (agent: RunningAgent, signals: WatchedSignals, logger: PinoLogger): Promise<number> => {
  signals.onReload(() => {
    void agent.reload().then((reloaded) => {
      if (reloaded.ok) logger.info('keys, CAs, lists and policies were reloaded');
      else
        logger.error('reloading keys, CAs, lists and policies failed; the old ones stay in effect', {
          reason: reloaded.error,
        });
    });
  });
  const signal = await signals.ended;
  logger.info('the agent drains', { signal });
  await agent.stop();
  logger.info('the agent has stopped');
  return 0;
};

/** Starts the agent and resolves when it has stopped. */
const run = async (
  start: StartOptions,
  { exposedSecrets }: AgentRun,
  configuration: LogConfiguration,
  locate: ReadStartOptions['locate'],
): Promise<number> => {
  const { level, format, warning } = configuration;
  const log = new LogOutput({ fileDescriptor: standardOutput, format: await lineFormat(format, standardOutput) });
  const logger = new PinoLogger(level, log);
  const signals = watchSignals(() => {
    log.flushSync();
    process.exit(1);
  });
  logDebugSignal(logger);
  try {
    if (warning !== null) logger.warn(warning);
    if (exposedSecrets.length > 0) {
      logger.warn('secrets in arguments are visible to every user of this host; use variables or files', {
        flags: exposedSecrets,
      });
    }
    const started = await startAgent(agentContainer(logger), start, new OutputAuditLog(log));
    if (started.ok) return await serve(started.value, signals, logger);
    writeOptionProblems(started.error, locate);
    return 1;
  } catch (error) {
    if (!isAddressError(error)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return 1;
  } finally {
    // With a blocked log reader, an ordinary exit would wait forever.
    if (!(await log.close(logGraceMs))) process.kill(process.pid, 'SIGKILL');
  }
};

/**
 * Checks the agent and writes the report. The log is off, because the report has the same content.
 */
const check = async (start: StartOptions, locate: ReadStartOptions['locate']): Promise<number> => {
  const log = new LogOutput({ fileDescriptor: standardOutput, format: null });
  const { problems, summary } = await checkAgent(agentContainer(new PinoLogger('off', log)), start);
  writeOptionProblems(problems, locate);
  if (summary !== null) process.stdout.write(`${summary}\n`);
  return summary === null ? 1 : 0;
};

/**
 * Loaded on demand: the KDL parser takes longer to load than everything else, and most agents need
 * no file.
 */
const openConfiguration = async (file: string): Promise<AgentBlockReader> => {
  const { agentBlocksOfFile } = await import('../shared/configuration-file.js');
  return agentBlocksOfFile(file);
};

/** Runs the agent until a signal, or checks its options. Resolves with the exit code. */
export const runAgent = async (
  command: Extract<AgentCommand, { kind: 'run' | 'check' }>,
  log: LogConfiguration,
): Promise<number> => {
  const { start, problems, locate } = await readStartOptions(command, openConfiguration);
  writeProblems(problems);
  if (start === null) return 1;
  return command.kind === 'check' ? check(start, locate) : run(start, command, log, locate);
};
