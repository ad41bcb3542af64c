import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { AgentMetricsBook } from '../../../../../src/domain/agent-protocol/agent-metrics/agent-metrics-book.js';
import type { MetricsReport } from '../../../../../src/domain/agent-protocol/metrics-report.js';
import { metricsReport, reportedValue } from '../../../../support/shared/metrics-reports.js';

const size = 4_000_000;

const heapUsed = (): number => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
};

/** A slice of a large text. */
const partOf = (text: string): string => JSON.parse(JSON.stringify(text + ' '.repeat(size))).slice(0, text.length);

it.each<[string, (index: number) => Partial<MetricsReport>]>([
  ['help texts', (index) => ({ counters: [{ ...reportedValue(1, `a${index}`), help: 'h'.repeat(size) }] })],
  ['names', (index) => ({ counters: [reportedValue(1, partOf(`a_long_name_of_a_family_${index}`))] })],
  [
    'names of gauges',
    (index) => ({ agentId: `${index}`, gauges: [reportedValue(1, partOf(`a_long_name_of_a_family_${index}`))] }),
  ],
  ['values of labels', (index) => ({ counters: [reportedValue(1, 'a', { x: partOf(`a long value, ${index}`) })] })],
  ['agent ids', (index) => ({ agentId: partOf(`a long id of an agent, ${index}`) })],
])('%s that are kept do not hold on to the large text that they came in', (_what, changes) => {
  const book = new AgentMetricsBook(new Set());
  book.keep(new Set(['auth']));
  const before = heapUsed();
  for (let index = 0; index < 10; index += 1) {
    book.take('auth', metricsReport({ agentId: 'one', ...changes(index) }), index * 2_000);
  }
  // The engine keeps the last text of a regular expression alive.
  expect(heapUsed() - before).toBeLessThan(3 * size);
  expect(book.dropped()).toEqual([{ agent: 'auth', count: 0 }]);
});
