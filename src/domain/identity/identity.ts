import type { JsonObject } from '../shared/json.js';
import type { AuthenticationMethod } from './authentication-method.js';

/** Who makes a request. */
export interface Identity {
  readonly method: AuthenticationMethod;
  readonly userId: string;
  /** Null where the credential carries none. */
  readonly claims: JsonObject | null;
}
