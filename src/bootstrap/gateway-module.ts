import { ContainerModule } from 'inversify';
import { AgentMetrics } from '../application/agent-metrics/agent-metrics.js';
import { AdminRequests } from '../application/answer-admin/admin-requests.js';
import { AnswerAdmin } from '../application/answer-admin/answer-admin.js';
import { defaultEngineLimits } from '../application/ports/http-engine.js';
import { ProblemAnswerer } from '../application/proxy-request/answer-problem.js';
import { ProxyRequest } from '../application/proxy-request/proxy-request.js';
import { StatusReports } from '../application/report-status/status-reports.js';
import { AgentRegistry } from '../application/run-gateway/agent-registry.js';
import { Gateway } from '../application/run-gateway/gateway.js';
import { ListenerRegistry } from '../application/run-gateway/listener-registry.js';
import { RunningState } from '../application/run-gateway/running-state.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';
import { sharedTokens as shared } from './shared-tokens.js';

/** The gateway's use cases. Needs the adapters of `gatewayAdaptersModule` or others in their place. */
export const gatewayModule = new ContainerModule(({ bind }) => {
  bind(gateway.problems)
    .toResolvedValue((logger) => new ProblemAnswerer(logger), [shared.logger])
    .inSingletonScope();
  bind(gateway.agentMetrics)
    .toResolvedValue(
      (ownNames, clock, logger) => new AgentMetrics(ownNames, clock, logger),
      [gateway.ownSampleNames, shared.clock, shared.logger],
    )
    .inSingletonScope();
  bind(gateway.agents)
    .toResolvedValue(
      (create, metrics, logger) => new AgentRegistry(create, metrics, logger),
      [gateway.createAgent, gateway.agentMetrics, shared.logger],
    )
    .inSingletonScope();
  bind(gateway.listeners)
    .toResolvedValue((engine) => new ListenerRegistry(engine, defaultEngineLimits), [gateway.engine])
    .inSingletonScope();
  bind(gateway.state)
    .toResolvedValue(
      (identity, agents, listeners, figures, dropped) =>
        new RunningState(identity, agents, listeners, figures, dropped),
      [gateway.identity, gateway.agents, gateway.listeners, gateway.figures, gateway.droppedAccessLines],
    )
    .inSingletonScope();
  bind(gateway.reports)
    .toResolvedValue(
      (state, metrics, clock) => {
        metrics.observe(state);
        return new StatusReports(state, metrics, clock);
      },
      [gateway.state, gateway.metrics, shared.clock],
    )
    .inSingletonScope();
  bind(gateway.answerAdmin)
    .toResolvedValue(
      (reports, isSecret) => new AnswerAdmin(reports, isSecret),
      [gateway.reports, gateway.secretComparer],
    )
    .inSingletonScope();
  bind(gateway.stages)
    .toResolvedValue(
      (clock, scheduler, logger, metrics, problems, inflater, reports, pathPatterns) => ({
        clock,
        scheduler,
        logger,
        metrics,
        problems,
        inflater,
        reports,
        pathPatterns,
      }),
      [
        shared.clock,
        shared.scheduler,
        shared.logger,
        gateway.metrics,
        gateway.problems,
        gateway.inflater,
        gateway.reports,
        gateway.pathPatterns,
      ],
    )
    .inSingletonScope();
  bind(gateway.proxy)
    .toResolvedValue(
      (clock, random, logger, accessLog, metrics, problems, state) =>
        new ProxyRequest({ clock, random, logger, accessLog, metrics, problems }, () => state.current()),
      [shared.clock, shared.random, shared.logger, gateway.accessLog, gateway.metrics, gateway.problems, gateway.state],
    )
    .inSingletonScope();
  bind(gateway.adminRequests)
    .toResolvedValue(
      (answerAdmin, state, random, logger) =>
        new AdminRequests(
          answerAdmin,
          () => state.configuration().admin,
          () => state.phase() === 'draining',
          random,
          logger,
        ),
      [gateway.answerAdmin, gateway.state, shared.random, shared.logger],
    )
    .inSingletonScope();
  bind(gateway.gateway)
    .toResolvedValue(
      (source, agents, listeners, listenerTls, state, stages, createUpstream, proxy, admin, logger, hostName) =>
        new Gateway({
          source,
          agents,
          listeners,
          listenerTls,
          state,
          stages,
          createUpstream,
          proxy,
          admin,
          logger,
          hostName,
        }),
      [
        gateway.source,
        gateway.agents,
        gateway.listeners,
        gateway.listenerTls,
        gateway.state,
        gateway.stages,
        gateway.createUpstream,
        gateway.proxy,
        gateway.adminRequests,
        shared.logger,
        gateway.hostName,
      ],
    )
    .inSingletonScope();
});
