import { custom, foreign, optionalBlock } from '../../configuration/schema/block-keys.js';
import { refuseArguments, refuseRepetition } from '../../configuration/schema/read-block.js';
import { list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { integer, milliseconds, oneOf, oneOfNumbers, seconds, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key } from '../../configuration/schema/schema.js';
import { members, type Setting } from '../../configuration/setting/setting.js';
import { foreignBreakerKeys } from './circuit-breaker-schema.js';
import { type AgentSubscription, agentSubscriptions } from './gateway-configuration.js';
import { transport } from './transport-key.js';

/** The options of the agent, as they were written; null where there are none. */
const config: Key<readonly Setting[] | null> = custom(
  'block',
  'none',
  'Options that are handed to the agent; see the options of the agent.',
  (_name, settings, context) => {
    const [first] = settings;
    if (first === undefined) return { value: null, given: false, sound: true, position: null };
    refuseRepetition(settings, context, true);
    refuseArguments(first, context);
    return { value: members(first), given: true, sound: settings.length === 1, position: first.position };
  },
);

/** `request_body`, `request-headers` and their like. */
export const otherSubscription = (text: string): AgentSubscription | null => {
  const name = text
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/_body$/, '_body_chunk')
    .replace(/^log$/, 'request_complete');
  return agentSubscriptions.find((known) => known === name) ?? null;
};

const protocolVersion = oneOfNumbers(
  [2, 1],
  (value) => `must be 1 or 2, not ${value}: there is no such version of the agent protocol`,
);

const circuitBreakerShape = {
  'failure-threshold': withDefault(integer(1, 10_000), 5, '5', 'Calls that fail in a row until it is no longer asked.'),
  'timeout-seconds': withDefault(
    seconds(1, 3600),
    30_000,
    '30',
    'How long every call fails at once, until one is let through to see whether it answers again.',
  ),
  ...foreignBreakerKeys,
  'half-open-max-requests': foreign('one call at a time is let through', 'take it out'),
};

export type CircuitBreakerFields = Fields<typeof circuitBreakerShape>;

/** Other gateways name what an agent is for. */
const agentType = oneOf(['custom'], [], () => 'custom');

export const agentShape = {
  type: withDefault(agentType, 'custom', '`custom`', 'Kind of agent.'),
  transport,
  socket: optional(text, 'Path of its socket: short for `transport { unix_socket { path } }`.'),
  'socket-owner': optional(text, 'User that may own the unix socket, besides the own one and root.'),
  events: list(
    oneOf(agentSubscriptions, ['websocket_frame', 'guardrail_inspect'], otherSubscription),
    'What the agent is asked about, or told. A body goes only to an agent that asks for it after it has seen the head.',
    ['request_headers'],
    '`request_headers`',
  ),
  'timeout-ms': withDefault(milliseconds(1, 600_000), 1000, '1000', 'How long an answer may take.'),
  'failure-mode': withDefault(
    oneOf(['closed', 'open']),
    'closed',
    '`closed`',
    'What happens when the agent gives no answer: `closed` refuses the request, `open` lets it go on without the agent. `open` cannot stand with `authz`.',
  ),
  'protocol-version': withDefault(
    protocolVersion,
    2,
    '2',
    'Version of the agent protocol. 1 is the older framing of a unix socket, without a handshake.',
  ),
  connections: optional(
    integer(1, 64),
    'Connections that are kept to it. Without it: 4, and 16 with `protocol-version 1`, which has one call at a time on each.',
  ),
  'unix-socket': foreign('it stands in `transport`', 'write transport { unix_socket { path "/run/agent.sock" } }'),
  grpc: foreign('it stands in `transport`', 'write transport { grpc { address "127.0.0.1:50051" } }'),
  config,
  'circuit-breaker': optionalBlock(circuitBreakerShape, 'Stop asking an agent that fails. Without the block: never.'),
};
