import { nearestWord } from '../../../../configuration/schema/did-you-mean.js';
import { parseAuthority } from '../../../../http/host.js';
import { quotedName } from '../../shortened-text.js';
import type { LikePattern } from '../../syntax-tree.js';
import type { IpValue, Value } from '../../values/value.js';
import type { ModelSource } from '../model-types.js';
import { listed } from '../type-words.js';
import { authMethods, isMethod, nearestMethod } from './possible-name.js';
import { isImpossiblePathPattern, pathMistake, rootedPattern } from './possible-path.js';

/** Whether `resource.host` can be that text: empty where a request has none. */
const isPossibleHost = (text: string): boolean => {
  const parsed = parseAuthority(text);
  return text === '' || (parsed.ok && parsed.value.host === text);
};

/** The host in a text, as `resource.host` has it; null: there is none. */
const nearestHost = (text: string): string | null => {
  const parsed = parseAuthority(text);
  return parsed.ok ? parsed.value.host : null;
};

/** Whether no host fits: none has capitals, slashes or a port; what ends in digits behind a colon is a port. */
const isImpossibleHostPattern = (pattern: LikePattern): boolean => {
  const last = pattern.at(-1);
  if (typeof last === 'string' && /:[0-9]{1,5}$/.test(last)) return true;
  return pattern.some((piece) => typeof piece === 'string' && /[A-Z/?]/.test(piece));
};

export interface ImpossibleValue {
  readonly message: string;
  readonly suggestion: string;
}

const meant = (text: string): string => `did you mean ${quotedName(text)}?`;
const meantOr = (text: string | null, otherwise: string): string => (text === null ? otherwise : meant(text));
const hostMessage = 'resource.host is in lower case, without scheme, port and path; this is none';
const pathHint = 'write it as it would be sent, such as "/reports/2024"; what comes behind a "?" is in resource.query';
const hostHint = 'write it such as "api.example.com"';

const ofPath = (text: string): ImpossibleValue | null => {
  const mistake = pathMistake(text);
  if (mistake === null) return null;
  const { message, nearest, pattern } = mistake;
  const suggestion = pattern === null ? meantOr(nearest, pathHint) : `did you mean resource.path like ${pattern}?`;
  return { message: `resource.path is ${message}`, suggestion };
};

const ofText: Readonly<Record<Exclude<ModelSource, 'client_ip'>, (text: string) => ImpossibleValue | null>> = {
  path: ofPath,
  host: (text) =>
    isPossibleHost(text) ? null : { message: hostMessage, suggestion: meantOr(nearestHost(text), hostHint) },
  // Any text: behind the "?" of `/x??a` comes another one.
  query: () => null,
  method: (text) =>
    isMethod(text)
      ? null
      : {
          message: `no request has the method ${quotedName(text)}`,
          suggestion: meantOr(nearestMethod(text), 'it is a method of HTTP in capitals, such as "GET"'),
        },
  auth_method: (text) =>
    authMethods.includes(text)
      ? null
      : {
          message: `there is no way to authenticate ${quotedName(text)}`,
          suggestion: meantOr(nearestWord(text, authMethods), `it is ${listed(authMethods, 'or')}`),
        },
};

/** The address of a client is one address. */
const ofAddress = ({ version, prefixLength }: IpValue): ImpossibleValue | null =>
  prefixLength === (version === 4 ? 32 : 128)
    ? null
    : {
        message: 'context.client_ip is one address, and this is a range of them',
        suggestion: 'ask with context.client_ip.isInRange(..)',
      };

/** Why what comes from there is never that value; null: it can be. */
export const impossibleValue = (from: ModelSource, value: Value): ImpossibleValue | null => {
  if (from === 'client_ip') return typeof value === 'object' && value.kind === 'ip' ? ofAddress(value) : null;
  return typeof value === 'string' ? ofText[from](value) : null;
};

const withoutStars = (pattern: LikePattern): string | null =>
  pattern.every((piece) => typeof piece === 'string') ? pattern.join('') : null;

/** Why what comes from there never fits the pattern; null: it can. */
export const impossiblePattern = (from: ModelSource, pattern: LikePattern): ImpossibleValue | null => {
  const whole = withoutStars(pattern);
  // A star that is no pattern is what it is in paths.
  if (whole !== null && from !== 'client_ip' && !(from === 'path' && whole.includes('*'))) return ofText[from](whole);
  if (from === 'path' && isImpossiblePathPattern(pattern)) {
    const rooted = rootedPattern(pattern);
    return {
      message: 'resource.path is the path of a request in its normal form, without the query; this fits none',
      suggestion: rooted === null ? pathHint : `did you mean ${rooted}? A path begins with "/"`,
    };
  }
  if (from === 'host' && isImpossibleHostPattern(pattern)) return { message: hostMessage, suggestion: hostHint };
  return null;
};
