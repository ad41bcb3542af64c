import { foreign } from '../../configuration/schema/block-keys.js';
import { withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, integer, seconds } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key } from '../../configuration/schema/schema.js';
import { type SwitchedBlockDocument, switchedBlock } from '../../configuration/schema/switched-block.js';
import type { CircuitBreakerRules } from '../circuit-breaking/circuit-breaker.js';

/** The defaults of a breaker: of an empty block, and of an upstream that gets a breaker without a block. */
export const standardBreaker: CircuitBreakerRules = { failureThreshold: 5, openMs: 30_000, probes: 1 };

/** Keys of other gateways for a half-open breaker. */
export const foreignBreakerKeys = {
  'success-threshold': foreign(
    'the first probe decides',
    'delete the line: one success closes the breaker, one failure opens it again',
  ),
  'timeout-secs': foreign('the name is timeout-seconds', 'write timeout-seconds 30'),
};

const shape = {
  'failure-threshold': withDefault(
    integer(1, 10_000),
    standardBreaker.failureThreshold,
    '5',
    'Consecutive failures that open the breaker.',
  ),
  'timeout-seconds': withDefault(
    seconds(1, 86_400),
    standardBreaker.openMs,
    '30',
    'How long an open breaker refuses every request. Then it allows probes.',
  ),
  probes: withDefault(
    integer(1, 1000),
    standardBreaker.probes,
    '1',
    'Concurrent requests that a half-open breaker allows. The first outcome closes or reopens it.',
  ),
  ...foreignBreakerKeys,
  'half-open-max-requests': foreign('the name is probes', 'write probes 1'),
};

/** Converts a breaker block that has no errors. */
export const toBreaker = (fields: Fields<typeof shape>): CircuitBreakerRules => ({
  failureThreshold: fields['failure-threshold'].value,
  openMs: fields['timeout-seconds'].value,
  probes: fields.probes.value,
});

const targetShape = {
  ...shape,
  'spare-last-target': withDefault(
    boolean,
    false,
    '`#false`',
    'Keep sending to the last available target even if it fails. The breaker of an upstream without this block does so.',
  ),
};

/** The block `circuit-breaker` of an upstream. Each target has a breaker. */
export const targetBreaker = (document: SwitchedBlockDocument): Key<Fields<typeof targetShape> | null> =>
  switchedBlock(targetShape, null, document);

/** The block `circuit-breaker` of a route. */
export const circuitBreaker = (document: SwitchedBlockDocument): Key<Fields<typeof shape> | null> =>
  switchedBlock(shape, null, document);
