import type { ProviderMetadata } from '../../../../../domain/agent/oidc/provider-metadata.js';
import { err, ok, type Result } from '../../../../../domain/shared/result.js';
import type { Cancellation } from '../../../../ports/shared/cancellation.js';
import type { KeySet } from '../../../keys/key-set.js';
import type { ProviderEndpointLookup } from './provider-endpoint-lookup.js';

/** The fetch goes on, whatever happens to the request that starts it. */
const uncancelled: Cancellation = { onCancel: () => () => undefined };

/** A provider, and the keys that verify its tokens. */
export interface ProviderWithKeys {
  readonly provider: ProviderEndpointLookup;
  readonly keys: Pick<KeySet, 'state' | 'lastFailure' | 'refetch'>;
}

/**
 * The provider if a sign-on can succeed: its endpoints and its keys are known. Otherwise starts to fetch what is
 * missing, because a user waits for it, and returns why it is missing. The error is one clause for the log, or null.
 */
export const readyProvider = ({ provider, keys }: ProviderWithKeys): Result<ProviderMetadata, string | null> => {
  const metadata = provider.current();
  const hasKeys = keys.state() !== 'absent';
  if (metadata !== null && hasKeys) return ok(metadata);
  provider.hurry();
  if (!hasKeys) void keys.refetch(0, uncancelled);
  return err(provider.lastFailure() ?? keys.lastFailure());
};
