import { required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, decimal, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import type { MirrorRules } from '../route-transforms/mirror.js';

const shape = {
  name: required(text, 'Name of the upstream that gets the copies.'),
  enabled: withDefault(boolean, true, '`#true`', '`#false` turns the mirror off.'),
  percent: withDefault(decimal(0, 100), 100, '100', 'Share of the requests that are copied, in percent.'),
  credentials: withDefault(
    boolean,
    false,
    '`#false`',
    'Keep Authorization, Cookie, API keys, identity headers and the identity token in the copies.',
  ),
};

export type MirrorFields = Fields<typeof shape>;

export const mirror = switchedBlock(shape, 'name', {
  standard: 'none',
  meaning:
    'Sends copies of the requests to another upstream, whose responses are dropped. It never delays or fails a request. Bodies above `max-body-buffer-bytes` and upgrades are not copied.',
});

/** Converts a block `mirror` that has no errors; null: it is turned off. */
export const toMirror = ({ name, enabled, percent, credentials }: MirrorFields): MirrorRules | null =>
  enabled.value ? { upstream: name.value, percent: percent.value, keepsCredentials: credentials.value } : null;
