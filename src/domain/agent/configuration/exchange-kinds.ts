import { checkedText, oneOf, type ScalarFault, type ScalarKind, text } from '../../configuration/schema/scalar-kind.js';
import type { SettingScalar } from '../../configuration/setting/setting.js';
import { err, ok, type Result } from '../../shared/result.js';
import {
  isClientId,
  isPrintableName,
  maximumClientIdLength,
  maximumPrintableNameLength,
} from '../token-exchange/printable-name.js';
import {
  type ExchangeTokenKind,
  type IssuedKind,
  isIssuedKind,
  issuedKinds,
  tokenKindOf,
  tokenKinds,
} from '../token-exchange/security-token.js';

const printableText = (label: string): ScalarKind<string> =>
  checkedText(label, (value) =>
    isPrintableName(value)
      ? null
      : { message: `must consist of at most ${maximumPrintableNameLength} printable characters` },
  );

/** A value of `audience` or `resource`. */
export const audience = printableText('audience');

export const claimName = printableText('claim name');

/** RFC 6749, appendix A.1. Logs show it, so it must be written literally. */
export const clientId: ScalarKind<string> = {
  label: 'client id',
  fallback: '',
  secret: false,
  read: (scalar) => {
    if (scalar.hidden) return err({ message: 'must be written literally, because logs show it' });
    if (typeof scalar.value === 'string' && isClientId(scalar.value)) return ok(scalar.value);
    return err({ message: `must be 1 to ${maximumClientIdLength} characters of printable ASCII` });
  },
};

const kindLabel = (kinds: readonly string[]): string =>
  `${kinds.map((kind) => `\`${kind}\``).join(', ')}, or the URI of one`;

/** Converts the URI of a token type to its short name. */
const shortName = (scalar: SettingScalar): SettingScalar => {
  const kind = typeof scalar.value === 'string' ? tokenKindOf(scalar.value) : null;
  return kind === null ? scalar : { ...scalar, value: kind };
};

const readKind = (scalar: SettingScalar): Result<ExchangeTokenKind, ScalarFault> =>
  oneOf(tokenKinds).read(shortName(scalar));

/** A token type to accept, as its short name. */
export const subjectKind: ScalarKind<ExchangeTokenKind> = {
  ...text,
  label: kindLabel(tokenKinds),
  fallback: 'access_token',
  read: readKind,
};

/** A token type to issue. */
export const issuedKind: ScalarKind<IssuedKind> = {
  ...text,
  label: kindLabel(issuedKinds),
  fallback: 'access_token',
  read: (scalar) => {
    const known = readKind(scalar);
    if (!known.ok) return oneOf(issuedKinds).read(scalar);
    if (isIssuedKind(known.value)) return ok(known.value);
    return err({ message: `cannot be "${known.value}": only ${issuedKinds.join(' and ')} can be issued` });
  },
};
