import type { ClientSecret } from '../../../domain/agent/configuration/token-exchange-options.js';
import type { ExchangePolicy } from '../../../domain/agent/token-exchange/exchange-policy.js';
import type { ClientKey } from '../../ports/agent/token-signing-keys.js';

/** A client that may use the token endpoint, made ready when the configuration is taken. */
export interface PreparedClient {
  readonly id: string;
  /** Its `clientId` is the id. */
  readonly policy: ExchangePolicy;
  /** Any of them will do; hashes are of kinds that can be checked here. */
  readonly secrets: readonly ClientSecret[];
  /** For private_key_jwt. */
  readonly keys: readonly ClientKey[];
}
