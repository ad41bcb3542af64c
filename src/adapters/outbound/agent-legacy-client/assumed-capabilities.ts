import { type AgentCapabilities, defaultAgentLimits } from '../../../domain/agent-protocol/capabilities.js';
import type { LegacyAgentConnectorSettings } from './legacy-connector-settings.js';

/**
 * What holds for an agent that says nothing of itself. That a connection carries one call at a time is for the connection
 * to say: a limit here would be one for all connections together.
 */
export const assumedCapabilities = ({ name, events }: LegacyAgentConnectorSettings): AgentCapabilities => ({
  agentId: name,
  name,
  version: '',
  supportedEvents: events,
  features: {
    streamingBody: true,
    websocket: false,
    guardrails: false,
    configPush: false,
    metricsExport: false,
    cancellation: false,
    flowControl: false,
    healthReporting: false,
    concurrentRequests: 0,
  },
  limits: defaultAgentLimits,
  ownedHeaders: [],
});
