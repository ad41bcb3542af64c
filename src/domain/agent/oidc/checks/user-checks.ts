import { err, ok, type Result } from '../../../shared/result.js';
import { isUsableSubject } from '../../identity/identity.js';
import type { Claims } from '../../tokens/claims.js';
import type { OidcRejection } from '../oidc-rejection.js';

/** Which users may sign on, and how they are named. */
export interface UserRules {
  /** The claim with the user id. */
  readonly userIdClaim: string;
  /** Domains of e-mail addresses, in lower case; empty: every user. */
  readonly allowedDomains: readonly string[];
  /** Whether an address counts that the provider has not verified. */
  readonly trustsUnverifiedEmail: boolean;
}

/** A requirement for the claims of a user; null: fulfilled. */
export type UserCheck = (claims: Claims, rules: UserRules) => OidcRejection | null;

/** Whether a rule depends on the address of the user. */
export const dependsOnEmail = ({ userIdClaim, allowedDomains }: UserRules): boolean =>
  userIdClaim === 'email' || allowedDomains.length > 0;

/** The value of a claim of the token itself, not of its prototype. */
const claimOf = (claims: Claims, name: string) => (Object.hasOwn(claims, name) ? claims[name] : undefined);

const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The domain of an address: the text after the last `@`, with ASCII letters in lower case. Null: the text is no
 * address. Other letters stay, because their lower case may be an ASCII letter.
 */
export const domainOfEmail = (email: string): string | null => {
  const mark = email.lastIndexOf('@');
  return mark < 1 || mark === email.length - 1 ? null : lowerCase(email.slice(mark + 1));
};

/** Requires a verified address where a rule depends on it. An absent `email_verified` means false. */
const checkEmailVerified: UserCheck = (claims, rules) => {
  if (!dependsOnEmail(rules) || rules.trustsUnverifiedEmail) return null;
  return claimOf(claims, 'email_verified') === true ? null : 'email_not_verified';
};

/** Requires an allowed domain. Domains are compared whole. */
const checkDomain: UserCheck = (claims, { allowedDomains }) => {
  if (allowedDomains.length === 0) return null;
  const email = claimOf(claims, 'email');
  const domain = typeof email === 'string' ? domainOfEmail(email) : null;
  return domain !== null && allowedDomains.includes(domain) ? null : 'domain_not_allowed';
};

/** Requires a usable user id. */
const checkUserId: UserCheck = (claims, { userIdClaim }) => {
  const userId = claimOf(claims, userIdClaim);
  return typeof userId === 'string' && isUsableSubject(userId) ? null : 'unusable_user_id';
};

/** The requirements for a user, in order. */
export const userChecks: readonly UserCheck[] = [checkEmailVerified, checkDomain, checkUserId];

/** The user id of a user who may sign on. */
export const acceptedUser = (claims: Claims, rules: UserRules): Result<string, OidcRejection> => {
  for (const check of userChecks) {
    const fault = check(claims, rules);
    if (fault !== null) return err(fault);
  }
  return ok(claimOf(claims, rules.userIdClaim) as string);
};

/** The claims about the address, which only one source may state. */
const emailClaims: readonly string[] = ['email', 'email_verified'];

/** Whether a claim has this name, or the first name of a dotted path. The names of some claims contain dots. */
const hasMapped = (claims: Claims, path: string): boolean =>
  Object.hasOwn(claims, path) || Object.hasOwn(claims, path.replace(/\..*$/s, ''));

/**
 * Whether the claims lack one that the rules or the mapped headers need, so that userinfo may help.
 * @param mapped names of claims, or dotted paths into them
 */
export const lacksClaims = (claims: Claims, rules: UserRules, mapped: readonly string[]): boolean => {
  const needed = [rules.userIdClaim, ...(dependsOnEmail(rules) ? emailClaims : [])];
  return !needed.every((name) => Object.hasOwn(claims, name)) || !mapped.every((path) => hasMapped(claims, path));
};

/**
 * Completes the claims of an ID token with those of the userinfo endpoint. The ID token is signed, so its claims win.
 * The address and its verification come from one source: otherwise one could verify an address of the other.
 */
export const withUserinfo = (claims: Claims, info: Claims): Claims => {
  const source = Object.hasOwn(claims, 'email') ? claims : info;
  const both = Object.entries({ ...info, ...claims }).filter(([name]) => !emailClaims.includes(name));
  const email = Object.entries(source).filter(([name]) => emailClaims.includes(name));
  return Object.fromEntries([...both, ...email]);
};
