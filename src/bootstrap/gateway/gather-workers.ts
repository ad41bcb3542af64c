import { NodeProcessFigures } from '../../adapters/outbound/node-process-figures/node-process-figures.js';
import { ownSampleNames } from '../../adapters/outbound/prometheus-metrics/agent-samples.js';
import { AgentMetrics } from '../../application/gateway/ask-agents/reports/agent-metrics.js';
import { GatheredWorkers, type GatheringParts } from '../../application/gateway/workers/aggregate/gathered-workers.js';
import type { Clock } from '../../application/ports/shared/clock.js';

/** Who gathers in the supervisor's process what the workers tell of themselves. */
export const gatherWorkers = (
  parts: Omit<GatheringParts, 'figures' | 'agentReports'> & { readonly clock: Clock },
): GatheredWorkers =>
  new GatheredWorkers({
    ...parts,
    figures: new NodeProcessFigures(),
    agentReports: new AgentMetrics(ownSampleNames, parts.clock, parts.logger),
  });
