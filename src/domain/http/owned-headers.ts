import { canonicalName } from './canonical-name.js';
import type { HeaderList } from './header-list.js';

/** Header names that only the gateway and its agents may set, in the form that `canonicalName` gives. */
export interface OwnedHeaders {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  /** 1 for each possible first character code of an owned name, in any spelling. Excludes most names. */
  readonly initials: Uint8Array;
  /** Bounded cache of earlier results. */
  readonly known: Map<string, boolean>;
}

const codes = 256;

const initialsOf = (canonical: readonly string[]): Uint8Array => {
  const firsts = new Set(canonical.map((text) => text.charAt(0)));
  return Uint8Array.from({ length: codes }, (_, code) =>
    firsts.has(canonicalName(String.fromCharCode(code)).charAt(0)) ? 1 : 0,
  );
};

/** Compiles names, and prefixes that end in `*`. A `*` alone would own every header and is left out. */
export const ownedHeaders = (patterns: Iterable<string>): OwnedHeaders => {
  const names = new Set<string>();
  const prefixes = new Set<string>();
  for (const pattern of patterns) {
    const isPrefix = pattern.endsWith('*');
    const canonical = canonicalName(isPrefix ? pattern.slice(0, -1) : pattern);
    if (canonical !== '') (isPrefix ? prefixes : names).add(canonical);
  }
  return { names, prefixes: [...prefixes], initials: initialsOf([...names, ...prefixes]), known: new Map() };
};

/** Lists the claims that no identity header carries, so that an upstream can tell them from missing claims. */
export const omittedClaimsHeader = 'X-Auth-Claims-Omitted';

/** Receives the signed token that states the identity, unless another header is configured. */
export const identityTokenHeader = 'X-Identity-Token';

/** Names that are owned in every configuration. */
export const alwaysOwned: readonly string[] = [
  'X-User-Id',
  'X-Auth-Method',
  'X-Auth-Claim-*',
  omittedClaimsHeader,
  identityTokenHeader,
  'X-Sign-On-Location',
  'X-Client-Cert-CN',
  'X-Client-Cert-DN',
  'X-Client-Cert',
  'Client-Cert',
  'Client-Cert-Chain',
  'X-Forwarded-Client-Cert',
];

/** Maximum number and length of cached names. */
const maxKnown = 1_024;
const maxKnownLength = 64;

/** A code beyond the table and an empty name read undefined; the full check decides. */
const mayBeOwned = ({ initials }: OwnedHeaders, name: string): boolean => initials[name.charCodeAt(0)] !== 0;

/** Whether a name is owned, in any case and with any separator for its hyphens. */
export const isOwned = (owned: OwnedHeaders, name: string): boolean => {
  if (!mayBeOwned(owned, name)) return false;
  const known = owned.known.get(name);
  if (known !== undefined) return known;
  const canonical = canonicalName(name);
  const isOne = owned.names.has(canonical) || owned.prefixes.some((prefix) => canonical.startsWith(prefix));
  if (name.length <= maxKnownLength) {
    if (owned.known.size >= maxKnown) owned.known.clear();
    owned.known.set(name, isOne);
  }
  return isOne;
};

export const hasOwned = (headers: HeaderList, owned: OwnedHeaders): boolean => {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (isOwned(owned, headers[index] as string)) return true;
  }
  return false;
};

/**
 * Removes fields that `now` owns and `before` did not, except lower-case names in `kept`. Returns the same
 * list if nothing changes.
 */
export const stripNewlyOwned = (
  headers: HeaderList,
  { before, now }: { readonly before: OwnedHeaders; readonly now: OwnedHeaders },
  kept: ReadonlySet<string>,
): HeaderList => {
  const left: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const isRemoved = isOwned(now, name) && !isOwned(before, name) && !kept.has(name.toLowerCase());
    if (!isRemoved) left.push(name, headers[index + 1] as string);
  }
  return left.length === headers.length ? headers : left;
};

/** Removes owned fields. Returns the same list if nothing changes. */
export const stripOwned = (headers: HeaderList, owned: OwnedHeaders): HeaderList => {
  let kept: string[] | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (isOwned(owned, name)) kept ??= headers.slice(0, index);
    else kept?.push(name, headers[index + 1] as string);
  }
  return kept ?? headers;
};
