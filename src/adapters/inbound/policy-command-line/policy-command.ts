import type { RequestQuestion } from '../../../application/agent/policy-tools/explain-request.js';

/** Where policies come from: files and folders, or what the `authz` block of an agent names. */
export type PolicyPlace =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  /** Without a name: the only agent of the file. */
  | { readonly kind: 'agent'; readonly configFile: string; readonly agentName: string | null };

/** Rules that flags give; null where they give none. */
export interface ExplainRules {
  readonly defaultDecision: 'allow' | 'deny' | null;
  readonly onError: 'deny' | 'skip' | null;
  readonly principalClaim: string | null;
  readonly rolesClaim: string | null;
}

/** What is to be explained. */
export type ExplainSubject =
  | {
      readonly kind: 'request';
      readonly place: PolicyPlace;
      readonly rules: ExplainRules;
      readonly request: RequestQuestion;
    }
  /** Without a name: the only case of the file. */
  | { readonly kind: 'case'; readonly testFile: string; readonly caseName: string | null };

/** What the command line of `gateway-auth policy` asks for. */
export type PolicyCommand =
  | { readonly kind: 'check'; readonly place: PolicyPlace; readonly strict: boolean }
  | { readonly kind: 'test'; readonly files: readonly string[]; readonly quiet: boolean }
  | { readonly kind: 'explain'; readonly subject: ExplainSubject; readonly json: boolean }
  | { readonly kind: 'corpus'; readonly folder: string }
  /** Nothing to do but to say this: help on the standard output, wrong usage on the other. */
  | { readonly kind: 'say'; readonly text: string; readonly exitCode: 0 | 2 };
