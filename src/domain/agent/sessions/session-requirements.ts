import { prefixTakes, requestPath } from '../../http/path-normalisation.js';
import { protectedPath, withoutParameters } from '../sign-on/protected-paths.js';

/** What a path requires of a session, besides that it is active. */
export interface SessionRequirement {
  /** The name of the way to sign on; null: any. */
  readonly provider: string | null;
  /** Authentication contexts of which the session must have one, most wanted first; empty: any. */
  readonly acrValues: readonly string[];
  /** Maximum age of the authentication of the user, in seconds; null: any. */
  readonly maxAgeSecs: number | null;
}

/** A `require` block: the requirement of a path and all paths below it. */
export interface RequiredPath extends SessionRequirement {
  readonly path: string;
}

/** `impossible`: no session can meet it. */
export type CombinedRequirement = SessionRequirement | 'impossible';

/** The requirement that a session meets if and only if it meets both. Keeps the order of the first one's contexts. */
export const combineRequirements = (one: SessionRequirement, other: SessionRequirement): CombinedRequirement => {
  if (one.provider !== null && other.provider !== null && one.provider !== other.provider) return 'impossible';
  const isAny = one.acrValues.length === 0;
  const isOtherAny = other.acrValues.length === 0;
  const common = isAny ? other.acrValues : one.acrValues.filter((acr) => isOtherAny || other.acrValues.includes(acr));
  if (common.length === 0 && !(isAny && isOtherAny)) return 'impossible';
  const ages = [one.maxAgeSecs, other.maxAgeSecs].filter((age) => age !== null);
  return {
    provider: one.provider ?? other.provider,
    acrValues: common,
    maxAgeSecs: ages.length === 0 ? null : Math.min(...ages),
  };
};

/** Upstreams that ignore case must not open a way around a requirement, so paths compare in lower case. */
const lowerCase = (path: string): string => path.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The form in which required paths compare. Two `require` blocks must not have the same. */
export const comparedPath = (path: string): string => lowerCase(protectedPath(path));

/** Prepared `require` blocks, the longest path first. */
export type SessionRequirements = readonly RequiredPath[];

export const compileRequirements = (required: readonly RequiredPath[]): SessionRequirements =>
  required
    .map((each) => ({ ...each, path: comparedPath(each.path) }))
    .toSorted((one, other) => other.path.length - one.path.length);

const longestFor = (requirements: SessionRequirements, path: string): RequiredPath | undefined =>
  requirements.find((required) => prefixTakes(required.path, path));

/**
 * The requirement of a normalised path: that of the longest prefix; null: none. A path that upstreams may read in two
 * ways (`/a;x/b`) has the requirements of both. A path without a normal form (null) may be any path, so all
 * requirements hold.
 */
export const requirementOf = (requirements: SessionRequirements, path: string | null): CombinedRequirement | null => {
  if (requirements.length === 0) return null;
  const plain = path === null ? null : withoutParameters(path);
  const found =
    path === null || plain === null
      ? requirements
      : new Set([longestFor(requirements, lowerCase(path)), longestFor(requirements, lowerCase(plain))]);
  let combined: CombinedRequirement | null = null;
  for (const each of found) {
    if (each === undefined) continue;
    const { provider, acrValues, maxAgeSecs } = each;
    const one = { provider, acrValues, maxAgeSecs };
    combined = combined === null ? one : combineRequirements(combined, one);
    if (combined === 'impossible') return combined;
  }
  return combined;
};

/** The path of a return target: of this host, or of an https URL. Null: it has no normal form. */
export const pathOfReturn = (returnTo: string): string | null =>
  requestPath(returnTo.startsWith('/') ? returnTo : returnTo.replace(/^https:\/\/[^/?]*/i, '') || '/');
