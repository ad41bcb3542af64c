import { foreign } from '../../configuration/schema/block-keys.js';
import { withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, integer, seconds } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key } from '../../configuration/schema/schema.js';
import { type SwitchedBlockDocument, switchedBlock } from '../../configuration/schema/switched-block.js';
import type { CircuitBreakerRules } from '../circuit-breaking/circuit-breaker.js';

/** What a breaker does that is written with no key, or not at all where there is one by default. */
export const standardBreaker: CircuitBreakerRules = { failureThreshold: 5, openMs: 30_000, probes: 1 };

/** The keys that other gateways have for what happens once the time is over. */
export const foreignBreakerKeys = {
  'success-threshold': foreign(
    'the first request that is let through decides',
    'take it out: one success closes the breaker, one failure opens it again',
  ),
  'timeout-secs': foreign('it is called timeout-seconds here', 'write timeout-seconds 30'),
};

const shape = {
  'failure-threshold': withDefault(
    integer(1, 10_000),
    standardBreaker.failureThreshold,
    '5',
    'Failures in a row until nothing is sent any more.',
  ),
  'timeout-seconds': withDefault(
    seconds(1, 86_400),
    standardBreaker.openMs,
    '30',
    'How long nothing is sent, until a request is let through to see whether it works again.',
  ),
  probes: withDefault(
    integer(1, 1000),
    standardBreaker.probes,
    '1',
    'Requests that are let through at a time then. The first outcome decides.',
  ),
  ...foreignBreakerKeys,
  'half-open-max-requests': foreign('it is called probes here', 'write probes 1'),
};

/** The rules of a breaker block that was read. */
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
    'Whether the last target that is left gets requests though it fails: the breaker that is there by default does so.',
  ),
};

/** A block `circuit-breaker` of an upstream: of each of its targets. */
export const targetBreaker = (document: SwitchedBlockDocument): Key<Fields<typeof targetShape> | null> =>
  switchedBlock(targetShape, null, document);

/** A block `circuit-breaker` of a route. */
export const circuitBreaker = (document: SwitchedBlockDocument): Key<Fields<typeof shape> | null> =>
  switchedBlock(shape, null, document);
