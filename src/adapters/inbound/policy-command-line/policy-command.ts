import type { RequestQuestion } from '../../../application/agent/policy-tools/explain-request.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type FlagValues, flagValue, isSet } from '../../command-line/flag-values.js';

/** Where policies come from: files and folders, or what the `authz` block of an agent names. */
export type PolicyLocation =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  /** Without a name: the only agent of the file. */
  | { readonly kind: 'agent'; readonly configFile: string; readonly agentName: string | null };

/** Rules that flags set; null: no flag sets it. */
export interface ExplainRules {
  readonly defaultDecision: 'allow' | 'deny' | null;
  readonly onError: 'deny' | 'skip' | null;
  readonly principalClaim: string | null;
  readonly rolesClaim: string | null;
}

/** The subject of `policy explain`. */
export type ExplainSubject =
  | {
      readonly kind: 'request';
      readonly location: PolicyLocation;
      readonly rules: ExplainRules;
      readonly request: RequestQuestion;
    }
  /** Without a name: the only case of the file. */
  | { readonly kind: 'case'; readonly testFile: string; readonly caseName: string | null };

/** `gateway-auth policy`. */
export type PolicyCommand =
  | { readonly kind: 'check'; readonly location: PolicyLocation; readonly strict: boolean }
  | { readonly kind: 'test'; readonly files: readonly string[]; readonly quiet: boolean }
  | { readonly kind: 'explain'; readonly subject: ExplainSubject; readonly json: boolean }
  | { readonly kind: 'corpus'; readonly folder: string };

/**
 * Reads where policies come from.
 *
 * @param asked the argument that names policies, as in `--policies PATH`
 */
export const policyLocationOf = (
  values: FlagValues,
  paths: readonly string[],
  asked: string,
): Result<PolicyLocation, string> => {
  const configFile = flagValue(values, 'config');
  if (configFile === null) {
    if (isSet(values, 'agent')) return err('--agent needs --config FILE');
    if (paths.length === 0) return err(`no policies: give ${asked}, or --config FILE`);
    if (paths.includes('')) return err('a policy file name must not be empty');
    return ok({ kind: 'files', paths });
  }
  if (paths.length > 0) return err(`${asked} and --config exclude each other`);
  if (configFile === '') return err('the configuration file name must not be empty');
  return ok({ kind: 'agent', configFile, agentName: flagValue(values, 'agent') });
};
