import type { ReadGateway } from '../../../gateway/configuration/read-gateway.js';
import type { ConfigurationProblem } from '../../configuration-problem.js';
import { isLoopback, socketAddressText } from '../../schema/network-kinds.js';
import { inFileOrder, type LineLookup } from '../../schema/problem-report.js';
import type { Setting } from '../../setting/setting.js';
import { AdviceReport } from './advice-report.js';
import { adviseOnAgents } from './agent-advice.js';
import { adviseOnListeners } from './listener-advice.js';
import { adviseOnPatterns } from './pattern-advice.js';
import { adviseOnSecrets } from './plain-secrets.js';

const muchForEveryRoute = 1_073_741_824;

const adviseOnAdmin = ({ admin }: ReadGateway, report: AdviceReport): void => {
  if (admin.value === null) return;
  const { address, 'insecure-no-token': insecure } = admin.value;
  if (!insecure.value || !address.sound || isLoopback(address.value.host)) return;
  const where = address.hidden === true ? 'where others can reach them' : `on ${socketAddressText(address.value)}`;
  report.add('admin-without-token', `the admin endpoints are served ${where} without a token`, insecure.position);
};

const adviseOnLimits = ({ limits }: ReadGateway, report: AdviceReport): void => {
  const failure = limits.value['on-store-failure'];
  if (failure.given && failure.value === 'allow') {
    report.add('rate-limits-fail-open', 'there is no rate limit while the store does not answer', failure.position);
  }
  const body = limits.value['max-body-size-bytes'];
  if (body.given && body.sound && body.value > muchForEveryRoute) {
    report.add('bodies-of-any-size', 'every route takes bodies of more than 1 GB', body.position);
  }
};

/**
 * What is unsafe in a configuration that a gateway runs with, in the order of the file. What is warned of whenever the
 * configuration is loaded is not repeated.
 */
export const advise = (
  gateway: ReadGateway,
  settings: readonly Setting[],
  lines: LineLookup,
): readonly ConfigurationProblem[] => {
  const report = new AdviceReport(lines);
  adviseOnAdmin(gateway, report);
  adviseOnListeners(gateway, report);
  adviseOnPatterns(gateway, report);
  adviseOnAgents(gateway, report);
  adviseOnLimits(gateway, report);
  adviseOnSecrets(settings, report);
  return inFileOrder(report.problems);
};
