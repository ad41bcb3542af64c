import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type MetricDefinition,
  metricDefinitions,
} from '../../../src/adapters/outbound/prometheus-metrics/metric-definitions.js';
import { agentDefinitions } from '../../support/shared/metrics-reference.js';

const read = (name: string): string => readFileSync(new URL(`../../../config/${name}`, import.meta.url), 'utf8');

const definitions = new Map<string, MetricDefinition>(
  [...Object.values<MetricDefinition>(metricDefinitions), ...agentDefinitions()].map((each) => [each.name, each]),
);

const dashboardExpressions = (): readonly string[] =>
  (JSON.parse(read('grafana-dashboard.json')) as { panels: { targets?: { expr: string }[] }[] }).panels.flatMap(
    ({ targets = [] }) => targets.map(({ expr }) => expr),
  );

const alertExpressions = (): readonly string[] =>
  read('prometheus-alerts.yml')
    .split('\n')
    .flatMap((line) => /^\s+expr: (.+)$/.exec(line)?.slice(1) ?? []);

/** The metric of a name in an expression: a histogram is asked for by its buckets. */
const metricOf = (name: string): MetricDefinition | undefined =>
  definitions.get(name) ?? definitions.get(name.replace(/_bucket$/, ''));

/** Labels that an expression selects or groups by. */
const labelsIn = (expression: string): readonly string[] => [
  ...[...expression.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label as string),
  ...[...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels]) => (labels as string).split(/, ?/)),
];

describe.each([
  ['config/grafana-dashboard.json', dashboardExpressions()],
  ['config/prometheus-alerts.yml', alertExpressions()],
])('%s', (_file, expressions) => {
  it('asks for something', () => {
    expect(expressions.length).toBeGreaterThan(10);
  });

  it.each(expressions)('asks for metrics and labels that there are: %s', (expression) => {
    const names = [...expression.matchAll(/\bgateway_[a-z_]+/g)].map(([name]) => name);
    expect(names.filter((name) => metricOf(name) === undefined)).toEqual([]);
    expect(names).not.toEqual([]);
    const known = new Set(['instance', 'le', ...names.flatMap((name) => metricOf(name)?.labels ?? [])]);
    expect(labelsIn(expression).filter((label) => !known.has(label))).toEqual([]);
  });
});

it('every limit that can be reached has a panel', () => {
  const shown = dashboardExpressions().join('\n');
  const missing = [...definitions.keys()].filter((name) => /_(?:exceeded|reached)_total$/.test(name));
  expect(missing.filter((name) => !shown.includes(name))).toEqual([]);
});
