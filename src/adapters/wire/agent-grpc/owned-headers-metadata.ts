import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import { isToken } from '../../../domain/http/field-syntax.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { areTooManyOwnedHeaders } from '../agent-messages/handshake-messages.js';

/** Key of the agent's initial metadata for headers that only it may set: comma-separated names. */
export const ownedHeadersKey = 'portcullis-owned-headers';

/** @param values the values of every field with this key */
export const readOwnedHeaders = (values: readonly string[]): Result<readonly string[], string> => {
  const names = values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return areTooManyOwnedHeaders(names) ? err(`"${ownedHeadersKey}" is too long`) : ok(names);
};

/** The metadata value, without invalid header names. */
export const ownedHeadersText = ({ ownedHeaders }: AgentCapabilities): string => ownedHeaders.filter(isToken).join(',');
