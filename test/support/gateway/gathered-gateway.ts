import { PrometheusGatewayMetrics } from '../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { AgentMetrics } from '../../../src/application/gateway/ask-agents/reports/agent-metrics.js';
import { UncollectedAgentReports } from '../../../src/application/gateway/ask-agents/reports/uncollected-agent-reports.js';
import { answerGathering } from '../../../src/application/gateway/workers/aggregate/answer-gathering.js';
import { GatheredWorkers } from '../../../src/application/gateway/workers/aggregate/gathered-workers.js';
import { SupervisedGateway } from '../../../src/application/gateway/workers/aggregate/supervised-gateway.js';
import type { ReloadOutcome } from '../../../src/application/ports/gateway/gateway-cluster.js';
import type { PoolFigures } from '../../../src/application/ports/gateway/gateway-metrics.js';
import type { GatewayPhase, TargetName } from '../../../src/application/ports/gateway/gateway-state.js';
import { type AttendedWorker, WorkerChannel } from '../../../src/application/shared/worker-channel/worker-channel.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { FixedGatewayState } from './fixed-gateway-state.js';
import { linkedPair, type PairedLink } from './linked-pair.js';

const memory = { residentBytes: 1000, heapUsedBytes: 100, heapTotalBytes: 200, externalBytes: 10 };

/** A state with one worker of this number. */
class WorkerState extends FixedGatewayState {
  poolFigures: readonly PoolFigures[] = [];
  /** What happens when agents in the process are asked to report. */
  report: () => void = () => undefined;

  constructor(number: number) {
    super();
    this.workerFigures = [
      {
        id: number,
        pid: 100 + number,
        connections: 0,
        requestsInFlight: 0,
        memory,
        eventLoopDelay: { meanMs: 1, p50Ms: 1, p99Ms: 2, maxMs: 20, count: 3, sumMs: 3 },
        unhealthyTargets: [],
      },
    ];
  }

  pools(): readonly PoolFigures[] {
    return this.poolFigures;
  }

  askAgentsToReport(): void {
    this.report();
  }
}

/** A worker that serves, within the test's process. */
export interface TestWorker {
  readonly attended: AttendedWorker;
  readonly link: PairedLink;
  /** The worker's end. */
  readonly supervisor: WorkerChannel;
  readonly state: WorkerState;
  readonly metrics: PrometheusGatewayMetrics;
  readonly agentReports: UncollectedAgentReports;
  /** The whole gateway as this worker asks for it. */
  readonly whole: SupervisedGateway;
}

/** A supervisor that gathers, and workers that are joined by hand. */
export class GatheredGateway {
  readonly clock = new ManualClock();
  readonly scheduler = new ManualScheduler(this.clock);
  readonly logger = new RecordingLogger();
  readonly gathered: GatheredWorkers;
  phase: GatewayPhase = 'running';
  keys: Readonly<Record<string, number>> | null = null;
  droppedAuditRecords = 0;
  reloadOutcome: ReloadOutcome = { kind: 'reloaded', count: 1 };
  reloads: () => Promise<ReloadOutcome> = async () => this.reloadOutcome;

  constructor(drainedTargets: readonly TargetName[] = []) {
    this.gathered = new GatheredWorkers({
      supervisor: {
        phase: () => this.phase,
        reloads: () => ({ count: 0, lastLoadMs: 5 }),
        rateLimiterKeys: () => this.keys,
        reload: () => this.reloads(),
        droppedAuditRecords: () => this.droppedAuditRecords,
      },
      figures: { pid: 99, memory: () => ({ ...memory, residentBytes: 7 }) },
      agentReports: new AgentMetrics(new Set(), this.clock, this.logger),
      scheduler: this.scheduler,
      logger: this.logger,
      drainedTargets,
    });
  }

  /** `answers`: it has begun to answer, as a worker does before it serves. */
  join(number: number, answers = true): TestWorker {
    const [link, other] = linkedPair();
    const fault = (topic: string, error: unknown) => this.logger.error(topic, { error: String(error) });
    const attended = { number, pid: 100 + number, channel: new WorkerChannel(link, this.scheduler, fault) };
    const supervisor = new WorkerChannel(other, this.scheduler, fault);
    const state = new WorkerState(number);
    const metrics = new PrometheusGatewayMetrics('edge');
    const agentReports = new UncollectedAgentReports();
    if (answers) answerGathering(supervisor, { state, metrics, agentReports });
    this.gathered.attend(attended);
    const whole = new SupervisedGateway(supervisor, state, metrics);
    return { attended, link, supervisor, state, metrics, agentReports, whole };
  }

  /** The worker's process ends. */
  kill({ link, attended }: TestWorker): void {
    link.close();
    this.gathered.left(attended);
  }
}
