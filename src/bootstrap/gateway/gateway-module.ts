import { ContainerModule } from 'inversify';
import {
  AdminConnectionAdmissions,
  ConnectionAdmissions,
} from '../../application/gateway/admit/connection-admissions.js';
import { ConnectionRefusalCounter } from '../../application/gateway/admit/connection-refusal-counter.js';
import { FloodLog, RefusalLog } from '../../application/gateway/admit/flood-log.js';
import { AgentMetrics } from '../../application/gateway/ask-agents/reports/agent-metrics.js';
import { AuditTrail } from '../../application/gateway/audit/audit-trail.js';
import { ProblemAnswerer } from '../../application/gateway/proxy-request/answer-problem.js';
import { ProxyRequest } from '../../application/gateway/proxy-request/proxy-request.js';
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
import { AdminRequestLog } from '../../application/shared/administration/admin-request-log.js';
import { AnswerSessions } from '../../application/shared/administration/answer-sessions.js';
import { FloodWindows } from '../../application/shared/flood-windows.js';
import { bindSingleton } from '../shared/bind-singleton.js';
import { sharedTokens as shared } from '../shared/shared-tokens.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';

/**
 * The gateway's use cases. Requires `gatewayTrafficModule`, and `gatewayAdaptersModule` or
 * replacements.
 */
export const gatewayModule = new ContainerModule(({ bind }) => {
  const made = bindSingleton(bind);
  made(gateway.problems, { logger: shared.logger }, ({ logger }) => new ProblemAnswerer(logger));
  made(
    gateway.agentMetrics,
    { ownNames: gateway.ownSampleNames, clock: shared.clock, logger: shared.logger },
    ({ ownNames, clock, logger }) => new AgentMetrics(ownNames, clock, logger),
  );
  made(
    gateway.agents,
    { create: gateway.createAgent, metrics: gateway.agentMetrics, logger: shared.logger },
    ({ create, metrics, logger }) => new AgentRegistry(create, metrics, logger),
  );
  made(
    gateway.listeners,
    { engine: gateway.engine },
    ({ engine }) => new ListenerRegistry(engine, defaultEngineLimits),
  );
  made(
    gateway.state,
    {
      identity: gateway.identity,
      agents: gateway.agents,
      listeners: gateway.listeners,
      figures: gateway.figures,
      admissions: gateway.admissions,
      breakers: gateway.routeBreakers,
      rateLimiters: gateway.rateLimiters,
      memory: gateway.memory,
      dropped: gateway.droppedAccessLines,
      initial: gateway.initialWorkerState,
      audit: gateway.audit,
    },
    ({ identity, agents, listeners, figures, admissions, breakers, rateLimiters, memory, dropped, initial, audit }) => {
      const traffic = { admissions, breakers, rateLimiters, memory };
      const lines = { accessLines: dropped, auditRecords: () => audit.dropped() };
      return new RunningState(identity, agents, listeners, figures, traffic, lines, initial);
    },
  );
  bind(gateway.initialWorkerState).toConstantValue({ worker: 0, reloads: null });
  made(gateway.reloadRequests, {}, () => new ReloadRequests());
  made(
    gateway.whole,
    { state: gateway.state, metrics: gateway.metrics, reloads: gateway.reloadRequests },
    ({ state, metrics, reloads }) => new LocalGateway(state, metrics, reloads),
  );
  made(
    gateway.reports,
    { state: gateway.state, metrics: gateway.metrics, whole: gateway.whole, clock: shared.clock },
    ({ state, metrics, whole, clock }) => {
      metrics.observe(state);
      return new StatusReports(state, whole, clock);
    },
  );
  made(
    gateway.answerAdmin,
    {
      reports: gateway.reports,
      isSecret: gateway.secretComparer,
      whole: gateway.whole,
      agents: gateway.agents,
      logger: shared.logger,
    },
    ({ reports, isSecret, whole, agents, logger }) =>
      new AnswerAdmin(reports, isSecret, whole, new AnswerSessions(() => agents.clients(), logger)),
  );
  made(
    gateway.audit,
    {
      open: gateway.openAuditLog,
      clock: shared.clock,
      logger: shared.logger,
      initialWorkerState: gateway.initialWorkerState,
      identity: gateway.identity,
    },
    ({ open, clock, logger, initialWorkerState: { worker }, identity: { version } }) =>
      new AuditTrail({ open, clock, logger, worker, version }),
  );
  made(
    gateway.stages,
    {
      clock: shared.clock,
      random: shared.random,
      scheduler: shared.scheduler,
      logger: shared.logger,
      metrics: gateway.metrics,
      problems: gateway.problems,
      inflater: gateway.inflater,
      compressor: gateway.compressor,
      reports: gateway.reports,
      pathPatterns: gateway.pathPatterns,
      admissions: gateway.admissions,
      routeBreakers: gateway.routeBreakers,
      digest: gateway.secretDigest,
      audit: gateway.audit,
      descriptors: gateway.descriptors,
    },
    (parts) => parts,
  );
  made(
    gateway.connectionRefusals,
    { random: shared.random, metrics: gateway.metrics, logger: shared.logger, scheduler: shared.scheduler },
    ({ random, metrics, logger, scheduler }) =>
      new ConnectionRefusalCounter(random, metrics, new RefusalLog(new FloodLog(logger, scheduler))),
  );
  made(
    gateway.proxy,
    {
      clock: shared.clock,
      random: shared.random,
      logger: shared.logger,
      scheduler: shared.scheduler,
      accessLog: gateway.accessLog,
      metrics: gateway.metrics,
      problems: gateway.problems,
      state: gateway.state,
      refusals: gateway.connectionRefusals,
      memory: gateway.memory,
      permits: gateway.permits,
      descriptors: gateway.descriptors,
    },
    ({
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
    }) => {
      const floodLog = new FloodLog(logger, scheduler);
      const connections = new ConnectionAdmissions(
        () => state.current().trustedProxies,
        permits,
        () => memory.violation(),
        refusals,
        (open) => descriptors.noteConnection(open),
      );
      const parts = { clock, random, logger, floodLog, accessLog, metrics, problems, connections };
      return new ProxyRequest(parts, state);
    },
  );
  made(
    gateway.adminRequests,
    {
      answerAdmin: gateway.answerAdmin,
      state: gateway.state,
      random: shared.random,
      logger: shared.logger,
      scheduler: shared.scheduler,
      refusals: gateway.connectionRefusals,
      audit: gateway.audit,
    },
    ({ answerAdmin, state, random, logger, scheduler, refusals, audit }) =>
      new AdminRequests(
        answerAdmin,
        () => state.configuration().admin,
        () => ['draining', 'replaced'].includes(state.phase()),
        random,
        logger,
        new AdminConnectionAdmissions(refusals),
        new AdminRequestLog(logger, audit, new FloodWindows(scheduler)),
      ),
  );
  bind(gateway.loadLogger).toResolvedValue((logger) => logger, [shared.logger]);
  made(
    gateway.gateway,
    {
      source: gateway.source,
      agents: gateway.agents,
      listeners: gateway.listeners,
      listenerTls: gateway.listenerTls,
      upstreamTls: gateway.upstreamTls,
      agentCertificates: gateway.agentCertificates,
      files: gateway.textFiles,
      socketLayers: gateway.socketLayers,
      state: gateway.state,
      stages: gateway.stages,
      upstreamTargets: gateway.upstreamTargets,
      rateLimiters: gateway.rateLimiters,
      memory: gateway.memory,
      createTracer: gateway.createTracer,
      random: shared.random,
      proxy: gateway.proxy,
      admin: gateway.adminRequests,
      logger: shared.logger,
      loadLogger: gateway.loadLogger,
      hostName: gateway.hostName,
      audit: gateway.audit,
    },
    (parts) => new Gateway(parts),
  );
});
