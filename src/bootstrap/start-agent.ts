import { Container } from 'inversify';
import { AgentUnixSocketServer } from '../adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import type { StartOptions } from '../application/configure-agent/agent-configuration-in-force.js';
import type { Logger } from '../application/ports/logger.js';
import { type AgentOptionProblem, agentDefaults } from '../domain/configuration/agent-configuration.js';
import { ok, type Result } from '../domain/shared/result.js';
import { agentModule, agentReportIntervals } from './agent-module.js';
import { agentProcessModule } from './agent-process-module.js';
import { agentTokens } from './agent-tokens.js';
import { sharedTokens } from './shared-tokens.js';

/** How long calls in flight have to end, in milliseconds. */
const drainGraceMs = 30_000;

/** An agent that serves its socket. */
export interface RunningAgent {
  /** Path of the socket. */
  readonly address: string;
  /** Reads keys, authorities, lists and policies again from their files. */
  reload(): Promise<Result<void, string>>;
  /** Takes no new connection, finishes what is in flight, and closes. */
  stop(): Promise<void>;
}

/** Everything that the agent's process is made of. Tests rebind the one part that they swap. */
export const agentContainer = (logger: Logger): Container => {
  const container = new Container();
  container.load(agentProcessModule(logger), agentModule);
  return container;
};

/** Starts the agent. Rejects with an AgentSocketError where the socket cannot be served. */
export const startAgent = async (
  container: Container,
  start: StartOptions,
): Promise<Result<RunningAgent, readonly AgentOptionProblem[]>> => {
  const agent = container.get(agentTokens.agentFactory)(start);
  const taken = await agent.start();
  if (!taken.ok) return taken;
  const address = start.overrides.socket ?? start.block.socket ?? agentDefaults.socket;
  const server = new AgentUnixSocketServer(
    address,
    agent,
    container.get(sharedTokens.clock),
    container.get(sharedTokens.scheduler),
    container.get(sharedTokens.logger),
    agentReportIntervals(start),
  );
  try {
    await server.listen();
  } catch (error) {
    await agent.stop();
    throw error;
  }
  return ok({
    address,
    reload: () => agent.reload(),
    stop: async () => {
      agent.drain();
      await server.drain(drainGraceMs);
      await agent.stop();
    },
  });
};
