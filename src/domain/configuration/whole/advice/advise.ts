import type { ReadGateway } from '../../../gateway/configuration/read-gateway.js';
import type { ConfigurationProblem } from '../../configuration-problem.js';
import { isLoopback, socketAddressText } from '../../schema/network-kinds.js';
import { inFileOrder, type LineLookup } from '../../schema/problem-report.js';
import type { Setting } from '../../setting/setting.js';
import { AdviceReport } from './advice-report.js';
import { warnAboutAgents } from './agent-advice.js';
import { warnAboutCors } from './cors-advice.js';
import { warnAboutListeners } from './listener-advice.js';
import { warnAboutPatterns } from './pattern-advice.js';
import { warnAboutSecrets } from './plain-secrets.js';
import { warnAboutUpstreams } from './upstream-advice.js';

const muchForEveryRoute = 1_073_741_824;

const warnAboutAdmin = ({ admin }: ReadGateway, report: AdviceReport): void => {
  if (admin.value === null) return;
  const { address, 'insecure-no-token': insecure } = admin.value;
  if (!insecure.value || !address.sound || isLoopback(address.value.host)) return;
  const where =
    address.hidden === true ? 'on an address that others can reach' : `on ${socketAddressText(address.value)}`;
  report.add('admin-without-token', `the admin endpoints ${where} have no token`, insecure.position);
};

const warnAboutLimits = ({ limits }: ReadGateway, report: AdviceReport): void => {
  const failure = limits.value['on-store-failure'];
  if (failure.given && failure.value === 'allow') {
    report.add('rate-limits-fail-open', 'while the store does not answer, there is no rate limit', failure.position);
  }
  const body = limits.value['max-body-size-bytes'];
  if (body.given && body.sound && body.value > muchForEveryRoute) {
    report.add('bodies-of-any-size', 'every route accepts bodies of more than 1 GB', body.position);
  }
};

/** Advice about a valid configuration, in the order of the file. Warnings that every load reports are not repeated. */
export const advise = (
  gateway: ReadGateway,
  settings: readonly Setting[],
  lines: LineLookup,
): readonly ConfigurationProblem[] => {
  const report = new AdviceReport(lines);
  warnAboutAdmin(gateway, report);
  warnAboutListeners(gateway, report);
  warnAboutPatterns(gateway, report);
  warnAboutCors(gateway, report);
  warnAboutUpstreams(gateway, report);
  warnAboutAgents(gateway, report);
  warnAboutLimits(gateway, report);
  warnAboutSecrets(settings, report);
  return inFileOrder(report.problems);
};
