import { standardHealthTimeoutSecs } from '../../../gateway/configuration/health-check-schema.js';
import { rateLimitOf } from '../../../gateway/configuration/rate-limit-schema.js';
import { target } from '../../../gateway/configuration/target-key.js';
import { hasChoice } from '../../../gateway/configuration/to-upstream.js';
import { ProblemReport } from '../../schema/problem-report.js';
import { members, type Setting, type SettingScalar } from '../../setting/setting.js';
import { madeSetting } from './made-setting.js';

const argumentOf = (settings: readonly Setting[], name: string): SettingScalar | undefined =>
  settings.find((setting) => setting.name === name)?.args[0];

/** A number that stands in the file: one from elsewhere may be another one tomorrow. */
const numberOf = (settings: readonly Setting[], name: string): number | null => {
  const argument = argumentOf(settings, name);
  return typeof argument?.value === 'number' && argument.reference === undefined ? argument.value : null;
};

const scalar = (name: string, value: string | number | boolean | null): readonly Setting[] =>
  value === null ? [] : [madeSetting(name, [{ value, position: null, hidden: false }], null)];

const burst = (rateLimit: readonly Setting[]): number | null => {
  const rate = numberOf(rateLimit, 'requests-per-second');
  return rate === null ? null : rateLimitOf(rate).burst;
};

const checkTimeout = (healthCheck: readonly Setting[]): number | null => {
  const interval = argumentOf(healthCheck, 'interval-secs') === undefined ? 10 : numberOf(healthCheck, 'interval-secs');
  return interval === null ? null : standardHealthTimeoutSecs(interval);
};

const connections = (agent: readonly Setting[]): number | null => {
  if (argumentOf(agent, 'transport')?.value === 'embedded') return null;
  return argumentOf(agent, 'protocol-version')?.value === 1 ? 16 : 4;
};

/** A protocol from elsewhere may be another one tomorrow. */
const speaksHttp2 = (listener: readonly Setting[]): boolean | null => {
  const protocol = argumentOf(listener, 'protocol');
  return protocol?.reference === undefined ? protocol?.value === 'https' : null;
};

const targetBreaker = (upstream: readonly Setting[]): readonly Setting[] => {
  const grouped = upstream.filter(({ name }) => name === 'targets').flatMap(members);
  const targets = [...grouped, ...upstream].filter(({ name }) => name === 'target');
  const context = { report: new ProblemReport(() => null), path: [], position: null };
  return hasChoice(target.read('target', targets, context).value.map(({ value }) => value))
    ? [madeSetting('circuit-breaker', [], scalar('spare-last-target', true))]
    : [];
};

/**
 * Defaults that depend on other keys, or mean something for some values of them alone.
 *
 * @param block the name of the block that lacks the key
 * @param siblings what is written in the block
 */
export const defaultInForce = (name: string, block: string, siblings: readonly Setting[]): readonly Setting[] => {
  if (block === 'rate-limit' && name === 'burst') return scalar(name, burst(siblings));
  if (block === 'health-check' && name === 'timeout-secs') return scalar(name, checkTimeout(siblings));
  if (block === 'listener' && name === 'http2') return scalar(name, speaksHttp2(siblings));
  if (block === 'agent' && name === 'connections') return scalar(name, connections(siblings));
  return block === 'upstream' && name === 'circuit-breaker' ? targetBreaker(siblings) : [];
};
