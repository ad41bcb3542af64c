import { ContainerModule } from 'inversify';
import {
  AdminConnectionAdmissions,
  ConnectionAdmissions,
} from '../../application/gateway/admit/connection-admissions.js';
import { ConnectionRefusalCounter } from '../../application/gateway/admit/connection-refusal-counter.js';
import { FloodLog, FloodWindows, RefusalLog } from '../../application/gateway/admit/flood-log.js';
import { AgentMetrics } from '../../application/gateway/ask-agents/reports/agent-metrics.js';
import { AuditTrail } from '../../application/gateway/audit/audit-trail.js';
import { ProblemAnswerer } from '../../application/gateway/proxy-request/answer-problem.js';
import { ProxyRequest } from '../../application/gateway/proxy-request/proxy-request.js';
import { AdminAccount } from '../../application/gateway/report-status/admin-account.js';
import { AdminRequests } from '../../application/gateway/report-status/admin-requests.js';
import { AnswerAdmin } from '../../application/gateway/report-status/answer-admin.js';
import { StatusReports } from '../../application/gateway/report-status/status-reports.js';
import { AgentRegistry } from '../../application/gateway/run-gateway/agent-registry.js';
import { Gateway } from '../../application/gateway/run-gateway/gateway.js';
import { ListenerRegistry } from '../../application/gateway/run-gateway/listener-registry.js';
import { RunningState } from '../../application/gateway/run-gateway/running-state.js';
import { ReloadRequests } from '../../application/gateway/workers/aggregate/gathering-topics.js';
import { LocalGateway } from '../../application/gateway/workers/aggregate/local-gateway.js';
import { defaultEngineLimits } from '../../application/ports/gateway/http-engine.js';
import { sharedTokens as shared } from '../shared/shared-tokens.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';

/** The gateway's use cases. Needs `gatewayTrafficModule`, and the adapters of `gatewayAdaptersModule` or others in their place. */
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
      (identity, agents, listeners, figures, admissions, breakers, rateLimiters, memory, dropped, place, audit) => {
        const traffic = { admissions, breakers, rateLimiters, memory };
        const lines = { accessLines: dropped, auditRecords: () => audit.dropped() };
        return new RunningState(identity, agents, listeners, figures, traffic, lines, place);
      },
      [
        gateway.identity,
        gateway.agents,
        gateway.listeners,
        gateway.figures,
        gateway.admissions,
        gateway.routeBreakers,
        gateway.rateLimiters,
        gateway.memory,
        gateway.droppedAccessLines,
        gateway.workerPlace,
        gateway.audit,
      ],
    )
    .inSingletonScope();
  bind(gateway.workerPlace).toConstantValue({ worker: 0, reloads: null });
  bind(gateway.reloadRequests)
    .toResolvedValue(() => new ReloadRequests(), [])
    .inSingletonScope();
  bind(gateway.whole)
    .toResolvedValue(
      (state, metrics, reloads) => new LocalGateway(state, metrics, reloads),
      [gateway.state, gateway.metrics, gateway.reloadRequests],
    )
    .inSingletonScope();
  bind(gateway.reports)
    .toResolvedValue(
      (state, metrics, whole, clock) => {
        metrics.observe(state);
        return new StatusReports(state, whole, clock);
      },
      [gateway.state, gateway.metrics, gateway.whole, shared.clock],
    )
    .inSingletonScope();
  bind(gateway.answerAdmin)
    .toResolvedValue(
      (reports, isSecret, whole) => new AnswerAdmin(reports, isSecret, whole),
      [gateway.reports, gateway.secretComparer, gateway.whole],
    )
    .inSingletonScope();
  bind(gateway.audit)
    .toResolvedValue(
      (open, clock, logger, { worker }, { version }) => new AuditTrail({ open, clock, logger, worker, version }),
      [gateway.openAuditLog, shared.clock, shared.logger, gateway.workerPlace, gateway.identity],
    )
    .inSingletonScope();
  bind(gateway.stages)
    .toResolvedValue(
      (
        clock,
        scheduler,
        logger,
        metrics,
        problems,
        inflater,
        reports,
        pathPatterns,
        admissions,
        routeBreakers,
        digest,
        audit,
        descriptors,
      ) => ({
        clock,
        scheduler,
        logger,
        metrics,
        problems,
        inflater,
        reports,
        pathPatterns,
        admissions,
        routeBreakers,
        digest,
        audit,
        descriptors,
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
        gateway.admissions,
        gateway.routeBreakers,
        gateway.secretDigest,
        gateway.audit,
        gateway.descriptors,
      ],
    )
    .inSingletonScope();
  bind(gateway.connectionRefusals)
    .toResolvedValue(
      (random, metrics, logger, scheduler) =>
        new ConnectionRefusalCounter(random, metrics, new RefusalLog(new FloodLog(logger, scheduler))),
      [shared.random, gateway.metrics, shared.logger, shared.scheduler],
    )
    .inSingletonScope();
  bind(gateway.proxy)
    .toResolvedValue(
      (
        clock,
        random,
        logger,
        scheduler,
        accessLog,
        metrics,
        problems,
        state,
        refusals,
        memory,
        permits,
        descriptors,
      ) => {
        const floodLog = new FloodLog(logger, scheduler);
        const connections = new ConnectionAdmissions(
          () => state.current().trustedProxies,
          permits,
          () => memory.violation(),
          refusals,
          (open) => descriptors.noteConnection(open),
        );
        const parts = { clock, random, logger, floodLog, accessLog, metrics, problems, connections };
        return new ProxyRequest(parts, () => state.current());
      },
      [
        shared.clock,
        shared.random,
        shared.logger,
        shared.scheduler,
        gateway.accessLog,
        gateway.metrics,
        gateway.problems,
        gateway.state,
        gateway.connectionRefusals,
        gateway.memory,
        gateway.permits,
        gateway.descriptors,
      ],
    )
    .inSingletonScope();
  bind(gateway.adminRequests)
    .toResolvedValue(
      (answerAdmin, state, random, logger, scheduler, refusals, audit) =>
        new AdminRequests(
          answerAdmin,
          () => state.configuration().admin,
          () => ['draining', 'replaced'].includes(state.phase()),
          random,
          logger,
          new AdminConnectionAdmissions(refusals),
          new AdminAccount(logger, audit, new FloodWindows(scheduler)),
        ),
      [
        gateway.answerAdmin,
        gateway.state,
        shared.random,
        shared.logger,
        shared.scheduler,
        gateway.connectionRefusals,
        gateway.audit,
      ],
    )
    .inSingletonScope();
  bind(gateway.loadLogger).toResolvedValue((logger) => logger, [shared.logger]);
  bind(gateway.gateway)
    .toResolvedValue(
      (
        source,
        agents,
        listeners,
        listenerTls,
        state,
        stages,
        upstreamTargets,
        rateLimiters,
        memory,
        createTracer,
        random,
        proxy,
        admin,
        logger,
        loadLogger,
        hostName,
        audit,
      ) =>
        new Gateway({
          source,
          agents,
          listeners,
          listenerTls,
          state,
          stages,
          upstreamTargets,
          rateLimiters,
          memory,
          createTracer,
          random,
          proxy,
          admin,
          logger,
          loadLogger,
          hostName,
          audit,
        }),
      [
        gateway.source,
        gateway.agents,
        gateway.listeners,
        gateway.listenerTls,
        gateway.state,
        gateway.stages,
        gateway.upstreamTargets,
        gateway.rateLimiters,
        gateway.memory,
        gateway.createTracer,
        shared.random,
        gateway.proxy,
        gateway.adminRequests,
        shared.logger,
        gateway.loadLogger,
        gateway.hostName,
        gateway.audit,
      ],
    )
    .inSingletonScope();
});
