import { custom, notYetBlock } from '../schema/block-keys.js';
import { refuseArguments, refuseRepetition } from '../schema/read-block.js';
import { list, optional, withDefault } from '../schema/scalar-keys.js';
import { milliseconds, oneOf, onlyNumber, text } from '../schema/scalar-kind.js';
import type { Key } from '../schema/schema.js';
import { members, type Setting } from '../setting/setting.js';
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

const protocolVersion = onlyNumber(2, (value) =>
  value === 1 ? '1 is not supported yet' : `must be 2, not ${value}: there is no such version of the agent protocol`,
);

export const agentShape = {
  type: withDefault(oneOf(['custom']), 'custom', '`custom`', 'Kind of agent.'),
  transport,
  socket: optional(text, 'Path of its socket: short for `transport { unix_socket { path } }`.'),
  'socket-owner': optional(text, 'User that may own the socket, besides the own one and root.'),
  events: list(
    oneOf(
      ['request_headers', 'request_body_chunk'],
      ['response_headers', 'response_body_chunk', 'request_complete', 'websocket_frame', 'guardrail_inspect'],
    ),
    'What the agent is asked about.',
    ['request_headers'],
    '`request_headers`',
  ),
  'timeout-ms': withDefault(milliseconds(1, 600_000), 1000, '1000', 'How long an answer may take.'),
  'failure-mode': withDefault(
    oneOf(['closed'], ['open']),
    'closed',
    '`closed`',
    'What happens when the agent gives no answer: `closed` refuses the request.',
  ),
  'protocol-version': withDefault(protocolVersion, 2, '2', 'Version of the agent protocol.'),
  config,
  'circuit-breaker': notYetBlock('Stop asking an agent that fails.', ['failure-threshold', 'timeout-seconds']),
};
