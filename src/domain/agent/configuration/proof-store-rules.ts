import type { OptionReport } from './option-report.js';
import { storeWithoutSignOn } from './sessions-option-rules.js';
import type { SessionStoreOptions, SessionsBlockOptions, SignOnSessionOptions } from './sessions-options.js';

/** Where the used DPoP proofs are (RFC 9449, section 11.1). */
export interface ProofStoreOptions {
  readonly store: SessionStoreOptions;
  /** Separates agents that share a store. */
  readonly namespace: string;
}

/** What determines the store. */
export interface ProofStoreSources {
  /** The block as written; null: there is none. */
  readonly block: SessionsBlockOptions | null;
  /** Null: no way to sign on is enabled. */
  readonly sessions: SignOnSessionOptions | null;
  /** Whether a way to sign on is written, enabled or not. */
  readonly hasSignOn: boolean;
  /** Whether a method reads access tokens. */
  readonly readsTokens: boolean;
  /** Whether a method reads access tokens in cookies, so that requests of other sites matter. */
  readonly readsCookies: boolean;
}

/** Members of the block that a store of proofs needs. */
const storeMembers: ReadonlySet<string> = new Set(['store', 'path', 'url'] satisfies (keyof SessionsBlockOptions)[]);

/** Flags that are null unless written; others are false. */
const nullableFlags: ReadonlySet<string> = new Set([
  'cookieSecure',
  'cookieHttpOnly',
] satisfies (keyof SessionsBlockOptions)[]);

const isWritten = (member: string, value: unknown): boolean => {
  if (Array.isArray(value)) return value.length > 0;
  return value !== null && value !== undefined && (value !== false || nullableFlags.has(member));
};

const hasSignOnKeys = (block: SessionsBlockOptions, readsCookies: boolean): boolean =>
  Object.entries(block).some(([member, value]) => {
    const isOurs = storeMembers.has(member) || (readsCookies && member === 'allowOrigins');
    return !isOurs && isWritten(member, value);
  });

const unreported: OptionReport = () => undefined;

/**
 * The store of the used proofs: that of `sessions`, which replicas can share; otherwise memory, which all workers of a
 * gateway share. Null: no method reads tokens. Without a way to sign on, `sessions` serves the proofs alone, so its
 * other keys are errors.
 */
export const proofStoreOptions = (
  { block, sessions, hasSignOn, readsTokens, readsCookies }: ProofStoreSources,
  error: OptionReport,
  warn: OptionReport,
): ProofStoreOptions | null => {
  if (block !== null && !hasSignOn && !readsTokens) {
    const suggestion = 'add saml, oidc-login or oidc, or remove sessions';
    error('sessions', 'it has no effect without a way to sign on and without tokens', suggestion);
  }
  if (!readsTokens) return null;
  if (sessions !== null) return { store: sessions.store, namespace: sessions.namespace };
  if (block === null) return { store: { kind: 'memory' }, namespace: '' };
  // With a disabled way to sign on, all keys wait for it, and its check reports them.
  if (hasSignOn) return { store: storeWithoutSignOn(block, unreported, unreported), namespace: '' };
  if (hasSignOnKeys(block, readsCookies)) {
    const keys = `store, path${readsCookies ? ', url and allow-origins' : ' and url'}`;
    const message = `without a way to sign on, only ${keys} have an effect`;
    error('sessions', message, 'add saml or oidc-login, or remove the other keys');
  }
  return { store: storeWithoutSignOn(block, error, warn), namespace: '' };
};
