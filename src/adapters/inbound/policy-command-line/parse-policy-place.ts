import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type FlagValues, isSet, only } from './flag-values.js';
import type { PolicyPlace } from './policy-command.js';

/** Where policies come from; `asked` is how paths of them are given. */
export const policyPlaceOf = (
  values: FlagValues,
  paths: readonly string[],
  asked: string,
): Result<PolicyPlace, string> => {
  const configFile = only(values, 'config');
  if (configFile === null) {
    if (isSet(values, 'agent')) return err('--agent needs --config FILE');
    if (paths.length === 0) return err(`there are no policies: give ${asked}, or --config FILE`);
    if (paths.includes('')) return err('the name of a policy file is empty');
    return ok({ kind: 'files', paths });
  }
  if (paths.length > 0) return err(`${asked} and --config exclude each other`);
  if (configFile === '') return err('the name of the configuration file is empty');
  return ok({ kind: 'agent', configFile, agentName: only(values, 'agent') });
};
