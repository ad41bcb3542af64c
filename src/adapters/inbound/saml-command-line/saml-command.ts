import type { StorePlace } from '../../../application/agent/sessions/store-place.js';

/** Nothing to do but to say this: help on the standard output, wrong usage on the other. */
export interface SayCommand {
  readonly kind: 'say';
  readonly text: string;
  readonly exitCode: 0 | 2;
}

/** What the command line of `gateway-auth saml` asks for. */
export type SamlCommand =
  /** Without a name: the only agent of the file. */
  { readonly kind: 'metadata'; readonly configFile: string; readonly agentName: string | null } | SayCommand;

/** Which sessions are to be ended: beginnings of their ids, or all of a user. */
export type RevokedSessions =
  | { readonly kind: 'ids'; readonly prefixes: readonly string[] }
  | { readonly kind: 'user'; readonly userId: string };

/** What the command line of `gateway-auth sessions` asks for. */
export type SessionsCommand =
  | {
      readonly kind: 'list';
      readonly place: StorePlace;
      readonly userId: string | null;
      readonly limit: number;
      readonly json: boolean;
    }
  | { readonly kind: 'show'; readonly place: StorePlace; readonly prefix: string; readonly json: boolean }
  | { readonly kind: 'revoke'; readonly place: StorePlace; readonly sessions: RevokedSessions }
  | SayCommand;
