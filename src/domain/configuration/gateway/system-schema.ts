import { replaced } from '../schema/block-keys.js';
import { optional, withDefault } from '../schema/scalar-keys.js';
import { checkedText, oneOfNumbers, seconds } from '../schema/scalar-kind.js';

const instanceName = checkedText('printable text, 128 characters at the most', (value) =>
  /^[\x20-\x7e]{1,128}$/.test(value) ? null : { message: 'must be printable ASCII, 128 characters at the most' },
);

export const systemShape = {
  instance: optional(instanceName, 'Value of the label `instance` of metrics. Without it: the name of the host.'),
  'graceful-shutdown-timeout-secs': withDefault(
    seconds(0, 3600),
    30_000,
    '30',
    'How long a drain waits for requests in flight before it ends them.',
  ),
  'worker-threads': withDefault(
    oneOfNumbers([1], (value) => `${value} is not supported yet: the gateway runs in one process`),
    1,
    '1',
    'Processes that serve requests.',
  ),
};

export const serverReplacement = replaced('`system` has taken its place', 'write system { ... }');
