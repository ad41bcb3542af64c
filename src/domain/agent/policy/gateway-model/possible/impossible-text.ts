import { nearestWord } from '../../../../configuration/schema/did-you-mean.js';
import { parseAuthority } from '../../../../http/request-target.js';
import { quoteName } from '../../abbreviate-text.js';
import type { LikePattern } from '../../syntax-tree.js';
import type { IpValue, Value } from '../../values/value.js';
import type { ModelSource } from '../model-types.js';
import { listed } from '../type-words.js';
import { authMethods, isMethod, nearestMethod } from './possible-name.js';
import { isImpossiblePathPattern, pathMistake, rootedPattern } from './possible-path.js';

/** Whether `resource.host` can be this text. It is empty for a request without a host. */
const isPossibleHost = (text: string): boolean => {
  const parsed = parseAuthority(text);
  return text === '' || (parsed.ok && parsed.value.host === text);
};

/** The host in a text, in the form of `resource.host`; null if there is none. */
const nearestHost = (text: string): string | null => {
  const parsed = parseAuthority(text);
  return parsed.ok ? parsed.value.host : null;
};

/** Whether no host matches: hosts have no capitals, slashes or port. Digits after a colon at the end are a port. */
const isImpossibleHostPattern = (pattern: LikePattern): boolean => {
  const last = pattern.at(-1);
  if (typeof last === 'string' && /:[0-9]{1,5}$/.test(last)) return true;
  return pattern.some((piece) => typeof piece === 'string' && /[A-Z/?]/.test(piece));
};

export interface ImpossibleValue {
  readonly message: string;
  readonly suggestion: string;
}

const meant = (text: string): string => `did you mean ${quoteName(text)}?`;
const meantOr = (text: string | null, otherwise: string): string => (text === null ? otherwise : meant(text));
const hostMessage = 'resource.host is a lower-case host without scheme, port and path; this is not one';
const pathHint = 'write it as a client sends it, such as "/reports/2024"; resource.query has the query';
const hostHint = 'write it as in "api.example.com"';

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
  // Any text is possible: a query may begin with "?", as in `/x??a`.
  query: () => null,
  method: (text) =>
    isMethod(text)
      ? null
      : {
          message: `no request has the method ${quoteName(text)}`,
          suggestion: meantOr(nearestMethod(text), 'write an HTTP method in capitals, such as "GET"'),
        },
  auth_method: (text) =>
    authMethods.includes(text)
      ? null
      : {
          message: `there is no authentication method ${quoteName(text)}`,
          suggestion: meantOr(nearestWord(text, authMethods), `it is ${listed(authMethods, 'or')}`),
        },
};

/** A client address is a single address. */
const ofAddress = ({ version, prefixLength }: IpValue): ImpossibleValue | null =>
  prefixLength === (version === 4 ? 32 : 128)
    ? null
    : {
        message: 'context.client_ip is a single address, but this is a range',
        suggestion: 'use context.client_ip.isInRange(..)',
      };

/** The reason why this source never produces the value; null if it can. */
export const impossibleValue = (from: ModelSource, value: Value): ImpossibleValue | null => {
  if (from === 'client_ip') return typeof value === 'object' && value.kind === 'ip' ? ofAddress(value) : null;
  return typeof value === 'string' ? ofText[from](value) : null;
};

const withoutStars = (pattern: LikePattern): string | null =>
  pattern.every((piece) => typeof piece === 'string') ? pattern.join('') : null;

/** The reason why no value of this source matches the pattern; null if one can. */
export const impossiblePattern = (from: ModelSource, pattern: LikePattern): ImpossibleValue | null => {
  const whole = withoutStars(pattern);
  // A path may contain a literal star.
  if (whole !== null && from !== 'client_ip' && !(from === 'path' && whole.includes('*'))) return ofText[from](whole);
  if (from === 'path' && isImpossiblePathPattern(pattern)) {
    const rooted = rootedPattern(pattern);
    return {
      message: 'resource.path is a normalised path without the query; this matches none',
      suggestion: rooted === null ? pathHint : `did you mean ${rooted}? A path begins with "/"`,
    };
  }
  if (from === 'host' && isImpossibleHostPattern(pattern)) return { message: hostMessage, suggestion: hostHint };
  return null;
};
