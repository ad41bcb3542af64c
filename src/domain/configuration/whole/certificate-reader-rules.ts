import type { AgentOptions } from '../../agent/configuration/agent-configuration.js';
import { readAgentOptions } from '../../agent/configuration/decode-agent-options.js';
import { agentsOf, type ReadAgent, type ReadGateway, routesOf } from '../../gateway/configuration/read-gateway.js';
import { ProblemReport } from '../schema/problem-report.js';

/** The options of an agent, whatever is wrong with some of them: that is reported elsewhere. */
const optionsOf = ({ fields: { config } }: ReadAgent): AgentOptions =>
  readAgentOptions(config.value ?? [], { report: new ProblemReport(() => null), path: [], position: null });

/** The header that an agent takes certificates from, in lower case; null where it reads none. */
const headerRead = ({ mtls }: AgentOptions): string | null =>
  mtls?.enabled === true ? mtls.clientCertHeader.toLowerCase() : null;

/** The first agent of a route that reads certificates removes them, so that the next would take everybody for nobody. */
export const warnOfTakenCertificates = (gateway: ReadGateway, report: ProblemReport): void => {
  const options = new Map(agentsOf(gateway).map((agent) => [agent.name.value, optionsOf(agent)]));
  for (const { name, fields } of routesOf(gateway)) {
    const takers = new Map<string, string>();
    for (const { value: agent, position } of fields.agents.value) {
      const own = options.get(agent);
      const header = own ? headerRead(own) : null;
      if (own === undefined || header === null) continue;
      const taker = takers.get(header);
      if (taker === undefined) {
        if (own.forwardCredentials !== true) takers.set(header, agent);
      } else if (taker !== agent) {
        report.add(
          `agent "${agent}" gets no client certificate on route "${name.value}": agent "${taker}" before it removes it`,
          {
            severity: 'warning',
            position,
            path: ['routes', `route "${name.value}"`],
            suggestion: `have one of them check certificates, or write forward-credentials #true in the config of agent "${taker}"`,
          },
        );
      }
    }
  }
};
