import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { limitsShape } from '../../../../src/domain/gateway/configuration/limits-schema.js';

/**
 * Which test holds a key over a real connection: one below, one at and one above it, with the answer, the line of the
 * log and the metric. Paths below test/. Where there are several, the first has the boundary, the others the rest.
 */
const heldBy: Readonly<Record<keyof typeof limitsShape, readonly string[]>> = {
  'max-header-size-bytes': ['integration/gateway/limits/heads'],
  'max-header-count': ['integration/gateway/limits/heads'],
  'max-header-name-bytes': ['integration/gateway/limits/heads'],
  'max-header-value-bytes': ['integration/gateway/limits/heads', 'integration/gateway/limits/reloads'],
  'max-body-size-bytes': ['integration/gateway/limits/bodies', 'integration/gateway/limits/reloads'],
  'max-body-buffer-bytes': ['integration/gateway/buffered-bodies'],
  'max-body-inspection-bytes': ['integration/gateway/agent-bodies', 'integration/gateway/limits/agents'],
  'max-decompression-ratio': ['integration/gateway/agent-bodies', 'integration/gateway/limits/agents'],
  'max-decompressed-size-bytes': ['integration/gateway/agent-bodies', 'integration/gateway/limits/agents'],
  'max-connections-per-client': [
    'integration/gateway/connection-limits',
    'integration/gateway/limits/connections',
    'integration/gateway/limits/requests-in-flight',
    'integration/gateway/limits/reloads',
  ],
  'max-connections-per-route': ['integration/gateway/limits/requests-in-flight', 'integration/gateway/limits/reloads'],
  'max-total-connections': ['integration/gateway/connection-limits', 'integration/gateway/limits/connections'],
  'max-idle-connections-per-upstream': ['integration/gateway/limits/idle-upstream-connections'],
  'max-in-flight-requests': ['integration/gateway/limits/requests-in-flight', 'integration/gateway/limits/queue'],
  'max-in-flight-requests-per-worker': ['integration/gateway/limits/requests-in-flight'],
  'max-queued-requests': ['integration/gateway/limits/requests-in-flight', 'integration/gateway/limits/queue'],
  'max-agent-queue-depth': ['integration/gateway/limits/agents'],
  'max-agent-body-bytes': ['integration/gateway/agent-bodies', 'integration/gateway/limits/agents'],
  'max-agent-response-bytes': ['integration/gateway/limits/agents'],
  'max-requests-per-second-global': ['integration/gateway/limits/rates'],
  'max-requests-per-second-per-client': ['integration/gateway/limits/rates'],
  'max-requests-per-second-per-route': ['integration/gateway/limits/rates'],
  'rate-limit-store': ['e2e/gateway/rate-limits'],
  'rate-limit-store-url': ['e2e/gateway/rate-limits'],
  'on-store-failure': ['integration/application/gateway/limit-rate/store-outage'],
  'max-memory-bytes': ['integration/gateway/limits/memory'],
  'max-memory-percent': ['integration/gateway/limits/memory'],
};

const asMember = (key: string): string => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

it('every limit key has tests', () => {
  expect(Object.keys(heldBy).sort()).toEqual(Object.keys(limitsShape).sort());
});

it.each(Object.entries(heldBy))('%s is mentioned in each of its tests', (key, tests) => {
  for (const test of tests) {
    const file = `test/${test}.test.ts`;
    expect(existsSync(file), file).toBe(true);
    const text = readFileSync(file, 'utf8');
    expect(text.includes(key) || text.includes(asMember(key)), `${file} says nothing of ${key}`).toBe(true);
  }
});
